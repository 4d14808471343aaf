#include "src/transport/event_store.hpp"

#include "src/base/loop_id.hpp"
#include "src/base/random_id.hpp"
#include "src/http/sse.hpp"

#include <boost/asio/dispatch.hpp>
#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <utility>

namespace sallyport::transport {

EventStream::EventStream(std::string id, std::shared_ptr<mcp::Session> session,
                         HttpOptions const& options)
    : id_{std::move(id)}, session_{std::move(session)}, options_{options} {
  auto const revision = session_->agreement().revision;
  format_.primed = mcp::has_priming_events(revision);
}

EventStream::~EventStream() {
  if (!held_) return;
  held_->events -= stored_.size();
  held_->bytes -= stored_bytes_;
}

std::string EventStream::event_id(std::uint64_t number) const {
  return fmt::format("{}-{}", id_, number);
}

void EventStream::begin_streaming() {
  if (streaming_) return;
  streaming_ = true;
  if (format_.primed) append({});
}

void EventStream::append(std::string_view data) {
  auto const number = ++last_;
  auto const id = event_id(number);
  std::string frame;
  http::append_sse(frame, {.event = data.empty() ? "" : "message", .id = id, .data = data});
  store(number, frame);
  show(std::move(frame));
}

void EventStream::store(std::uint64_t number, std::string const& frame) {
  stored_.push_back({number, frame});
  stored_bytes_ += frame.size();
  if (held_) {
    held_->events += 1;
    held_->bytes += frame.size();
  }
  while (stored_.size() > options_.replay_events ||
         (stored_bytes_ > options_.replay_bytes && stored_.size() > 1)) {
    drop_oldest();
  }
}

void EventStream::drop_oldest() {
  auto const size = stored_.front().frame.size();
  stored_.pop_front();
  stored_bytes_ -= size;
  if (held_) {
    held_->events -= 1;
    held_->bytes -= size;
  }
}

void EventStream::count_in(std::shared_ptr<Held> held) {
  held_ = std::move(held);
  held_->events += stored_.size();
  held_->bytes += stored_bytes_;
}

void EventStream::show(std::string frame) {
  if (!reader_) {
    unread_bytes_ += frame.size();
    return;
  }
  reader_->feed->expect(frame.size());
  // Runs at once on the reader's own loop, else is posted there.
  asio::dispatch(reader_->executor,
                 [feed = reader_->feed, frame = std::move(frame)] { feed->push_expected(frame); });
}

void EventStream::close_reader() {
  if (!reader_) return;
  asio::dispatch(reader_->executor, [feed = reader_->feed] { feed->close(); });
  reader_.reset();
  unread_since_ = Clock::now();
}

void EventStream::send(std::string message) {
  if (!can_stream_) return;
  begin_streaming();
  append(message);
  if (changed_) changed_();
}

std::size_t EventStream::unsent_bytes() const {
  return reader_ ? reader_->feed->pending_bytes() : unread_bytes_;
}

void EventStream::finish(mcp::Answer answer) {
  answer_ = std::move(answer);
  if (streaming_ && !answer_->body.empty()) append(answer_->body);
  close_reader();
  if (changed_) changed_();
}

void EventStream::release(std::chrono::milliseconds come_back_after) {
  // Only a client that was given an id to come back with can come back.
  if (!can_stream_ || !format_.primed) return;
  begin_streaming();
  if (reader_) {
    let_go(come_back_after);
  } else if (!was_read_) {
    // The client has not been shown the stream yet; it is told when it is.
    release_on_attach_ = come_back_after;
  }
  if (changed_) changed_();
}

void EventStream::let_go(std::chrono::milliseconds come_back_after) {
  std::string frame;
  http::append_sse(frame, {.id = event_id(last_), .retry = come_back_after});
  show(std::move(frame));
  close_reader();
}

void EventStream::attach(Reader reader, std::uint64_t after) {
  close_reader();
  reader_ = std::move(reader);
  was_read_ = true;
  unread_bytes_ = 0;
  auto const release = std::exchange(release_on_attach_, std::nullopt);
  for (auto const& each : stored_) {
    if (each.number > after) show(each.frame);
  }
  if (is_finished()) {
    close_reader();
  } else if (release) {
    let_go(*release);
  }
}

void EventStream::close_standing() {
  if (standing_) close_reader();
}

void EventStream::detach(Reader const& reader) {
  if (!reader_ || !(*reader_ == reader)) return;
  reader_.reset();
  unread_since_ = Clock::now();
}

bool EventStream::is_expired(Clock::time_point now) const {
  bool const abandoned = !reader_ && now - unread_since_ > options_.replay_time;
  bool const over = !reader_ && session_->is_closed();
  return (is_finished() || standing_) && (abandoned || over);
}

std::unique_ptr<EventStream> EventStore::make(std::shared_ptr<mcp::Session> session) {
  auto id = fmt::format("{}-{}", loop_, random_id(8));
  return std::make_unique<EventStream>(std::move(id), std::move(session), options_);
}

EventStream& EventStore::keep(std::unique_ptr<EventStream> stream) {
  if (streams_.size() >= options_.replay_streams) drop_expired(Clock::time_point::max());
  auto& kept = *stream;
  auto& session = sessions_[&kept.session()];
  kept.count_in(session.held);
  session.ids.emplace(++last_place_, kept.id());
  streams_.emplace(kept.id(), Kept{.stream = std::move(stream), .place = last_place_});
  make_room(session);
  return kept;
}

// The stream that has just come is not spare, so that the session stays.
void EventStore::make_room(OfSession& session) {
  auto const& held = *session.held;
  for (auto at = session.ids.begin(); at != session.ids.end();) {
    if (held.events <= options_.replay_events && held.bytes <= options_.replay_bytes) return;
    auto const oldest = streams_.find((at++)->second);
    if (oldest->second.stream->is_spare()) drop(oldest);
  }
}

EventStore::Streams::iterator EventStore::drop(Streams::iterator stream) {
  auto const session = sessions_.find(&stream->second.stream->session());
  session->second.ids.erase(stream->second.place);
  if (session->second.ids.empty()) sessions_.erase(session);
  return streams_.erase(stream);
}

EventStream* EventStore::find(std::string const& id) {
  auto const found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.stream.get();
}

void EventStore::forget(std::string const& id) {
  auto const found = streams_.find(id);
  if (found != streams_.end()) drop(found);
}

void EventStore::drop_expired(Clock::time_point now) {
  for (auto at = streams_.begin(); at != streams_.end();) {
    at = at->second.stream->is_expired(now) ? drop(at) : std::next(at);
  }
}

std::optional<EventStore::Position> EventStore::parse_event_id(std::string_view id) {
  auto const loop = loop_in_id(id);
  auto const last = id.rfind('-');
  if (!loop || id.find('-') == last) return std::nullopt;
  Position position{.loop = *loop, .stream = std::string{id.substr(0, last)}, .event = 0};
  auto const number = id.substr(last + 1);
  auto const* const end = number.data() + number.size();
  auto const parsed = std::from_chars(number.data(), end, position.event);
  bool const valid = parsed.ec == std::errc{} && parsed.ptr == end;
  return valid ? std::optional{std::move(position)} : std::nullopt;
}

}  // namespace sallyport::transport
