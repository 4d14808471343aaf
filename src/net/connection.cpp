#include "src/net/connection.hpp"

#include "src/base/assert.hpp"
#include "src/http/chunked.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::net {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kReadAhead = 16UL * 1024;   // at least, per read
constexpr std::size_t kBodyStep = 64UL * 1024;    // a body grows as it arrives, not as announced
constexpr std::size_t kKeptMemory = 64UL * 1024;  // per string of an idle connection
constexpr std::size_t kMaxDrained = 16UL << 20U;  // of a request that was refused
constexpr auto kLinger = 2s;

}  // namespace

Connection::Connection(LoopServer& loop, Socket socket)
    : loop_{loop},
      place_{loop.enter(*this)},
      wire_{std::move(socket), loop.shared().tls.get()},
      buffer_{std::max(kReadAhead, loop.shared().limits.header_bytes)},
      parser_{loop.shared().limits.header_bytes},
      peer_address_{wire_.peer_address()},
      watch_ended_{loop.executor(), Timer::time_point::max()} {}

Connection::~Connection() {
  SP_ASSERT(!watching_, "no read outlives its connection");
  loop_.leave(place_);
}

Async<void> Connection::serve() {
  read_until_ = Clock::now() + limits().header_timeout;
  auto const failed = co_await wire_.handshake();
  if (failed) {
    metrics().handshake_failed.add();
    wire_.close();
    co_return;
  }
  while (!closed_) {
    auto const read = co_await read_request();
    if (read == Read::Refused) co_await send_refusal();
    if (read != Read::Complete) break;
    co_await answer_request();
    if (!keep_alive_ || answer_ != Answer::Complete) break;
    release_memory();
  }
  co_await close_in_order();
}

Async<void> Connection::turn_away() {
  refuse(503, "The server has too many connections.");
  co_await send_refusal();
  co_await close_in_order();
}

Async<Connection::Read> Connection::read_request() {
  parser_.reset();
  timed_out_ = false;
  phase_ = Phase::Idle;
  auto state = parser_.parse(buffer_.unread(), request_);
  while (state == http::RequestHeadParser::State::Incomplete) {
    if (phase_ == Phase::Idle && !buffer_.empty()) {
      phase_ = Phase::Head;
      read_until_ = Clock::now() + limits().header_timeout;
    }
    if (phase_ == Phase::Idle && stopping()) co_return Read::Ended;
    auto const more = co_await fill();
    if (!more) co_return refuse_unfinished();
    state = parser_.parse(buffer_.unread(), request_);
  }
  phase_ = Phase::Head;
  if (state == http::RequestHeadParser::State::Refused) {
    refusal_ = parser_.refusal();
    co_return Read::Refused;
  }
  co_return co_await read_body();
}

Async<Connection::Read> Connection::read_body() {
  auto const& framing = parser_.framing();
  buffer_.consume(framing.head_bytes);
  keep_alive_ = framing.keep_alive;
  request_.body.clear();
  request_.peer_address = peer_address_;
  request_.secure = wire_.secure();
  loop_.mint_request_id(request_.request_id);
  if (framing.content_length > limits().body_bytes) {
    co_return refuse(413, "The request body is too large.");
  }
  bool const at_hand = !framing.chunked && framing.content_length <= buffer_.unread().size();
  if (at_hand) {
    take_body(static_cast<std::size_t>(framing.content_length));
    co_return Read::Complete;
  }
  phase_ = Phase::Body;
  read_until_ = Clock::now() + limits().body_timeout;
  if (framing.expects_continue && buffer_.empty()) {
    out_.assign("HTTP/1.1 100 Continue\r\n\r\n");
    auto const failed = co_await send({asio::buffer(out_)});
    if (failed) co_return Read::Ended;
  }
  auto read = framing.chunked ? read_chunked_body() : read_sized_body();
  co_return co_await std::move(read);
}

void Connection::take_body(std::size_t count) {
  request_.body.append(buffer_.unread().substr(0, count));
  buffer_.consume(count);
}

Async<Connection::Read> Connection::read_sized_body() {
  auto const length = static_cast<std::size_t>(parser_.framing().content_length);
  auto& body = request_.body;
  take_body(buffer_.unread().size());
  while (body.size() < length) {
    auto const left = length - body.size();
    bool more = false;
    if (left >= buffer_.capacity()) {
      more = co_await read_into_body(std::min(left, kBodyStep));
    } else {
      more = co_await fill();
      take_body(std::min(left, buffer_.unread().size()));
    }
    if (!more) co_return refuse_unfinished();
  }
  co_return Read::Complete;
}

Async<bool> Connection::read_into_body(std::size_t count) {
  auto& body = request_.body;
  auto const before = body.size();
  body.resize(before + count);
  std::size_t got = 0;
  auto const error = co_await wire_.read_some(asio::buffer(body.data() + before, count), got);
  body.resize(before + got);
  co_return note_read(error, got);
}

Async<Connection::Read> Connection::read_chunked_body() {
  using State = http::ChunkedDecoder::State;
  http::ChunkedDecoder decoder{limits().body_bytes};
  while (true) {
    auto unread = buffer_.unread();
    auto const before = unread.size();
    auto const state = decoder.decode(unread, request_.body);
    buffer_.consume(before - unread.size());
    switch (state) {
      case State::Done: co_return Read::Complete;
      case State::Malformed: co_return refuse(400, "The chunked body is malformed.");
      case State::TooLarge: co_return refuse(413, "The request body is too large.");
      case State::More: break;
    }
    auto const more = co_await fill();
    if (!more) co_return refuse_unfinished();
  }
}

// More bytes into the buffer. False: there are none, and refuse_unfinished() knows why.
Async<bool> Connection::fill() {
  if (watching_) {
    co_await watch_end();
    co_return !gone_ && !timed_out_ && !closed_;
  }
  if (gone_) co_return false;
  std::size_t count = 0;
  auto const error = co_await wire_.read_some(buffer_.prepare(), count);
  buffer_.commit(count);
  co_return note_read(error, count);
}

bool Connection::note_read(ErrorCode error, std::size_t count) {
  metrics().received_bytes.add(count);
  if (error && !timed_out_ && !closed_) gone_ = true;
  broken_ = gone_ && error != asio::error::eof;
  return !error && !timed_out_ && !closed_;
}

// The read that watches for a disconnect has to end before the next one.
Async<void> Connection::watch_end() {
  while (watching_) co_await watch_ended_.async_wait(use_tuple);
}

Connection::Read Connection::refuse(int status, std::string_view message) noexcept {
  refusal_ = {status, message};
  return Read::Refused;
}

Connection::Read Connection::refuse_unfinished() noexcept {
  if (closed_ || broken_ || phase_ == Phase::Idle) return Read::Ended;
  if (!timed_out_) return refuse(400, "The request ended too early.");
  return refuse(408, phase_ == Phase::Head ? "The request head took too long."
                                           : "The request body took too long.");
}

// What one large request needed is not kept for all the time the connection idles.
void Connection::release_memory() {
  if (request_.body.capacity() > kKeptMemory) request_.body = {};
  if (out_.capacity() > kKeptMemory) out_ = {};
}

Async<void> Connection::close_in_order() {
  phase_ = Phase::Closing;
  if (watching_) {
    wire_.cancel();
    co_await watch_end();
  }
  if (!wire_.is_open()) co_return;
  if (answer_ == Answer::Broken) {
    wire_.reset();
    co_return;
  }
  read_until_ = Clock::now() + kLinger;
  co_await wire_.finish_writing();
  // Bytes that nobody reads would make the kernel reset the connection, and the peer lose the
  // answer that it has not read yet.
  bool const unread = drain_ || !buffer_.empty();
  if (unread && wire_.is_open()) co_await wire_.discard(kMaxDrained);
  wire_.close();
}

void Connection::check_time(Clock::time_point now) {
  if (now >= write_until_) {
    write_until_ = Clock::time_point::max();
    metrics().slow_reader.add();
    wire_.reset();
  } else if (now >= read_until_) {
    read_until_ = Clock::time_point::max();
    timed_out_ = true;
    wire_.cancel();
  } else if (on_gone_ && !watching_ && wire_.peer_closed()) {
    tell_gone();  // the peer has sent enough, so no read is under way that would notice
  }
}

void Connection::stop() {
  if (phase_ == Phase::Idle) {
    closed_ = true;
    wire_.cancel();
  } else if (auto const on_stop = std::exchange(on_stop_, nullptr)) {
    on_stop();
  }
}

void Connection::cut() {
  closed_ = true;
  wire_.reset();
}

}  // namespace sallyport::net
