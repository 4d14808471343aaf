// The half of Connection that answers.
#include "src/base/assert.hpp"
#include "src/base/log.hpp"
#include "src/http/chunked.hpp"
#include "src/http/response_head.hpp"
#include "src/net/connection.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <exception>
#include <utility>

namespace sallyport::net {
namespace {

// A body up to this size is copied behind its head, which is cheaper than a second buffer.
constexpr std::size_t kCopiedBody = 16UL * 1024;

// For the log only, as other servers write it: the client closed before an answer began.
constexpr int kClientClosed = 499;

Error peer_is_gone() {
  return fail(Errc::Cancelled, "The peer closed the connection.");
}

http::Response plain_error(int status, std::string_view message) {
  return {.status = status,
          .content_type = "application/json",
          .body = fmt::format(R"({{"error":"{}"}})", message)};
}

// Roughly: a body may hold an empty line too.
std::size_t heads_in(std::string_view bytes) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  std::size_t count = 0;
  for (auto at = bytes.find(kEnd); at != bytes.npos; at = bytes.find(kEnd, at + kEnd.size())) {
    ++count;
  }
  return count;
}

}  // namespace

Async<void> Connection::answer_request() {
  phase_ = Phase::Answer;
  read_until_ = Clock::time_point::max();
  answer_ = Answer::None;
  body_allowed_ = request_.method != "HEAD";
  received_ = Clock::now();
  co_await run_handler();
  on_gone_ = nullptr;
  on_stop_ = nullptr;
  if (answer_ == Answer::None && gone_) {
    // The handler had nobody to answer: no failure of ours, and nothing to send.
    keep_alive_ = false;
    status_ = kClientClosed;
    metrics().abandoned.add();
    answer_ = Answer::Broken;
  } else if (answer_ == Answer::None) {
    keep_alive_ = false;
    auto const answered = co_await respond(plain_error(500, "Internal error."));
    drain_ = answered.has_value();
  } else if (answer_ == Answer::Streaming) {
    // A peer that goes away in the middle is nothing to report.
    if (!closed_ && !gone_) {
      log::error("handler left its answer unfinished", {{"request_id", request_.request_id}});
    }
    answer_ = Answer::Broken;  // reset, or the peer would take the part for the whole
  }
  auto const now = Clock::now();
  auto const seconds = std::chrono::duration<double>(now - received_).count();
  metrics().latency.observe(seconds);
  if (log::enabled(log::Level::Debug)) log_request(seconds);
  read_until_ = now + limits().idle_timeout;
}

void Connection::log_request(double seconds) const {
  auto const* trace = request_.headers.find("traceparent");
  log::debug("request", {{"request_id", request_.request_id},
                         {"peer", request_.peer_address},
                         {"method", request_.method},
                         {"path", request_.path},
                         {"status", status_},
                         {"outcome", status_ == kClientClosed ? "client closed" : "answered"},
                         {"seconds", seconds},
                         {"traceparent", trace == nullptr ? std::string_view{} : *trace}});
}

Async<void> Connection::run_handler() {
  std::string_view problem = "handler gave no answer";
  std::string detail;
  try {
    co_await loop_.shared().handler(*this);
    if (answer_ != Answer::None || closed_ || gone_) co_return;
  } catch (std::exception const& error) {
    problem = "handler threw";
    detail = error.what();
  }
  log::error(problem, {{"request_id", request_.request_id}, {"detail", detail}});
}

Async<void> Connection::send_refusal() {
  metrics().refused(refusal_.status).add();
  keep_alive_ = false;
  drain_ = true;
  answer_ = Answer::None;
  body_allowed_ = true;
  auto const sent = co_await respond(plain_error(refusal_.status, refusal_.message));
  log::debug("request refused", {{"status", refusal_.status},
                                 {"reason", refusal_.message},
                                 {"peer", peer_address_},
                                 {"told", sent.has_value()}});
}

Task<void> Connection::respond(http::Response response) {
  SP_ASSERT(answer_ == Answer::None || answer_ == Answer::Broken, "a request is answered once");
  if (answer_ == Answer::Broken) co_return peer_is_gone();
  start_head(response, response.body.size());
  Buffers buffers{};
  bool const copied = response.body.size() <= kCopiedBody;
  if (body_allowed_ && copied) out_ += response.body;
  buffers[0] = asio::buffer(out_);
  if (body_allowed_ && !copied) buffers[1] = asio::buffer(response.body);
  answer_ = Answer::Complete;
  auto const error = co_await send(buffers);
  if (error) co_return peer_is_gone();
  co_return Result<void>{};
}

void Connection::start_head(http::Response& response, std::optional<std::size_t> length) {
  status_ = response.status;
  metrics().requests(status_).add();
  // With it a user can name the failure to the operator, who finds it in the log.
  if (status_ >= 400) response.headers.add("X-Request-Id", request_.request_id);
  body_allowed_ = body_allowed_ && http::may_have_body(response.status);
  keep_alive_ = keep_alive_ && !stopping();
  out_.clear();
  http::append_response_head(out_, response,
                             {.content_length = length,
                              .keep_alive = keep_alive_,
                              .http_1_0 = parser_.framing().http_1_0,
                              .date = loop_.date()});
}

Task<void> Connection::begin(http::Response response) {
  SP_ASSERT(answer_ == Answer::None || answer_ == Answer::Broken, "a request is answered once");
  if (answer_ == Answer::Broken) co_return peer_is_gone();
  chunked_ = !parser_.framing().http_1_0;
  keep_alive_ = keep_alive_ && chunked_;
  start_head(response, std::nullopt);
  answer_ = Answer::Streaming;
  co_return co_await send_piece(response.body);
}

Task<void> Connection::write(std::string_view piece) {
  SP_ASSERT(answer_ == Answer::Streaming || answer_ == Answer::Broken, "begin() comes first");
  out_.clear();
  co_return co_await send_piece(piece);
}

// Sends what is in out_, and `piece` behind it.
Task<void> Connection::send_piece(std::string_view piece) {
  if (answer_ == Answer::Broken) co_return peer_is_gone();
  Buffers buffers{};
  bool const sent = body_allowed_ && !piece.empty();  // an empty chunk would end the body
  bool const copied = piece.size() <= kCopiedBody;
  if (sent && chunked_) http::append_chunk_head(out_, piece.size());
  if (sent && copied) out_ += piece;
  if (sent && copied && chunked_) out_ += "\r\n";
  if (sent && !copied) buffers[1] = asio::buffer(piece);
  if (sent && !copied && chunked_) buffers[2] = asio::buffer("\r\n", 2);
  buffers[0] = asio::buffer(out_);
  auto const error = co_await send(buffers);
  if (error) co_return peer_is_gone();
  co_return Result<void>{};
}

Task<void> Connection::end() {
  SP_ASSERT(answer_ == Answer::Streaming || answer_ == Answer::Broken, "begin() comes first");
  if (answer_ == Answer::Broken) co_return peer_is_gone();
  answer_ = Answer::Complete;
  if (!chunked_ || !body_allowed_) co_return Result<void>{};
  out_.assign(http::kLastChunk);
  auto const error = co_await send({asio::buffer(out_)});
  if (error) co_return peer_is_gone();
  co_return Result<void>{};
}

Async<ErrorCode> Connection::send(Buffers buffers) {
  auto const bytes = asio::buffer_size(buffers);
  ErrorCode error;
  if (!wire_.write_at_once(buffers, error) && !error) {
    write_until_ = Clock::now() + limits().write_timeout;
    error = co_await wire_.write_rest(buffers);
    write_until_ = Clock::time_point::max();
  }
  if (error) {
    answer_ = Answer::Broken;
  } else {
    metrics().sent_bytes.add(bytes);
  }
  co_return error;
}

void Connection::watch_disconnect(std::function<void()> on_gone) {
  on_gone_ = std::move(on_gone);
  if (gone_) {
    call_later(&Connection::on_gone_);
  } else if (!watching_) {
    look_for_disconnect();
  }
}

// A peer that goes away is noticed by reading. What comes instead is the next request, which stays
// in the buffer; when that holds enough of them, check_time() goes on looking.
void Connection::look_for_disconnect() {
  if (buffer_.full() || heads_in(buffer_.unread()) >= limits().pipelined_requests) return;
  watching_ = true;
  wire_.start_read(buffer_.prepare(),
                   [this](ErrorCode error, std::size_t count) { on_watched_read(error, count); });
}

void Connection::on_watched_read(ErrorCode error, std::size_t count) {
  watching_ = false;
  buffer_.commit(count);
  note_read(error, count);
  watch_ended_.cancel();
  if (error) {
    tell_gone();
  } else if (on_gone_) {
    look_for_disconnect();
  }
}

void Connection::tell_gone() {
  if (auto const on_gone = std::exchange(on_gone_, nullptr)) on_gone();
}

void Connection::watch_stop(std::function<void()> on_stop) {
  on_stop_ = std::move(on_stop);
  if (stopping()) call_later(&Connection::on_stop_);
}

// Not at once: the handler may be about to wait for what the callback wakes. Not when the handler
// has returned: the callback is dropped then, and maybe the connection too.
void Connection::call_later(std::function<void()> Connection::* callback) {
  if (!alive_) alive_ = std::make_shared<char>();
  asio::post(loop_.executor(), [this, callback, alive = std::weak_ptr{alive_}] {
    if (alive.expired()) return;
    if (auto const call = std::exchange(this->*callback, nullptr)) call();
  });
}

}  // namespace sallyport::net
