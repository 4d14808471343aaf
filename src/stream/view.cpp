#include "src/stream/view.hpp"

#include "src/stream/handle.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::stream {

std::shared_ptr<Stream> View::make_stream(Executor home) {
  auto stream = std::make_shared<Stream>(shared_from_this(), home, new_handle());
  std::lock_guard const lock{mutex_};
  if (gone_) return nullptr;
  ++unpublished_;
  return stream;
}

std::shared_ptr<Stream> View::find(std::string_view id) const {
  std::lock_guard const lock{mutex_};
  auto const found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second;
}

std::vector<std::string> View::ids() const {
  std::lock_guard const lock{mutex_};
  std::vector<std::string> all;
  for (auto const& [id, stream] : streams_) all.push_back(id);
  return all;
}

std::size_t View::open() const {
  std::lock_guard const lock{mutex_};
  return streams_.size();
}

Result<void> View::check_place() const {
  std::lock_guard const lock{mutex_};
  return check_place_locked();
}

Result<void> View::check_place_locked() const {
  if (streams_.size() < limits_.streams_per_view) return {};
  return fail(Errc::LimitExceeded,
              fmt::format("The view has {} streams open, and may have no more. Close some.",
                          streams_.size()));
}

bool View::expire(Clock::time_point now) {
  std::lock_guard const lock{mutex_};
  if (pulls_ > 0) return false;
  bool const idle = streams_.empty() && unpublished_ == 0;
  if (!idle && now - last_pull_ < limits_.lease) return false;
  // A call that is about to publish a stream has the time that calls have.
  if (unpublished_ > 0) return false;
  gone_ = true;
  while (!streams_.empty()) drop(*std::shared_ptr{streams_.begin()->second});
  return true;
}

void View::close_all() {
  std::lock_guard const lock{mutex_};
  while (!streams_.empty()) drop(*std::shared_ptr{streams_.begin()->second});
}

void View::drop(Stream& stream) {
  if (std::exchange(stream.closed_, true)) return;
  auto const self = stream.shared_from_this();
  if (stream.listed_) {
    streams_.erase(stream.id_);
  } else {
    --unpublished_;
  }
  give_back_cost(stream.down_.cost());
  budget_->forget(&stream);
  stream.end_uplink_locked(fail(Errc::NotFound, "There is no such stream."));
  stream.wake_pump();
  // Only at home may its coroutines be told.
  asio::post(stream.home_, [self] { self->cancel_children(); });
  wake_pumps();
  if (streams_.empty()) wake_puller();
}

void View::take_cost(std::size_t bytes) {
  cost_ += bytes;
  budget_->take(bytes);
}

void View::give_back_cost(std::size_t bytes) {
  cost_ -= bytes;
  budget_->give_back(bytes);
}

void View::wake_puller() {
  if (auto const waiting = std::exchange(puller_, nullptr)) waiting->set();
}

void View::wake_pumps() {
  for (auto const& [id, stream] : streams_) {
    // What its principal holds is for the stream to look at: it has to wait for that elsewhere.
    if (stream->room_ && stream->has_room_in_view()) stream->wake_pump();
  }
}

Result<void> View::check(PullRequest const& request) const {
  for (auto const& [id, next] : request.acks) {
    auto const found = streams_.find(id);
    if (found != streams_.end()) SP_CHECK(found->second->down_.check(next));
  }
  return {};
}

Result<View::Begun> View::begin_pull(PullRequest const& request) {
  std::lock_guard const lock{mutex_};
  SP_CHECK(check(request));
  Begun begun{.turn = ++turn_};
  for (auto const& [id, next] : request.acks) {
    auto const found = streams_.find(id);
    if (found == streams_.end()) {
      begun.names_unknown = true;
      continue;
    }
    auto const stream = found->second;
    give_back_cost(stream->down_.acknowledge(next));
    if (stream->down_.is_over()) drop(*stream);
  }
  for (auto const& [id, bytes] : request.credit) {
    auto const found = streams_.find(id);
    if (found != streams_.end()) found->second->down_.set_credit(bytes);
  }
  for (auto const& [id, stream] : streams_) stream->down_.rewind();
  ++pulls_;
  wake_pumps();
  wake_puller();
  return begun;
}

void View::end_pull() {
  std::lock_guard const lock{mutex_};
  --pulls_;
  last_pull_ = now_();
}

bool View::has_frames() const {
  return std::ranges::any_of(streams_,
                             [](auto const& each) { return each.second->down_.next() != nullptr; });
}

std::vector<NumberedFrame> View::take(std::uint64_t turn, std::size_t max_bytes) {
  std::vector<NumberedFrame> frames;
  std::lock_guard const lock{mutex_};
  if (turn != turn_ || streams_.empty()) return frames;
  std::size_t bytes = 0;
  auto at = streams_.upper_bound(last_served_);
  // One frame of each in turn, until nobody has any.
  for (std::size_t silent = 0; silent < streams_.size(); ++at) {
    if (at == streams_.end()) at = streams_.begin();
    auto& down = at->second->down_;
    auto const* const next = down.next();
    if (next == nullptr) {
      ++silent;
      continue;
    }
    bytes += next->payload.size() + next->members.size() + kFrameCost;
    if (!frames.empty() && bytes > max_bytes) break;
    silent = 0;
    auto const seq = down.next_seq();
    frames.push_back({at->first, seq, down.take()});
    last_served_ = at->first;
  }
  return frames;
}

Async<Wakeup> View::wait(std::uint64_t turn, Deadline deadline) {
  std::shared_ptr<OneShotEvent> event;
  {
    std::lock_guard const lock{mutex_};
    if (turn != turn_ || streams_.empty() || has_frames()) co_return Wakeup::Happened;
    if (!puller_) puller_ = OneShotEvent::make();
    event = puller_;
  }
  co_return co_await event->wait(deadline);
}

View::State View::state(std::uint64_t turn) const {
  std::lock_guard const lock{mutex_};
  State state{.superseded = turn != turn_, .open = streams_.size()};
  state.may_send =
      std::ranges::any_of(streams_, [](auto const& each) { return each.second->down_.may_send(); });
  return state;
}

}  // namespace sallyport::stream
