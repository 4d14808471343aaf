#include "src/egress/http_line.hpp"

#include <boost/asio/cancellation_state.hpp>

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <utility>

namespace sallyport::egress {
namespace {

constexpr std::size_t kFirstBuffer = 16UL * 1024;

// A child of a task group may have been stopped while it did something else; nothing would
// interrupt a wait that begins after that.
bool is_interrupted(asio::cancellation_state const& state) {
  return state.cancelled() != asio::cancellation_type::none;
}

}  // namespace

HttpLine::HttpLine(Wire wire, Place place)
    : wire_{std::move(wire)},
      place_{std::move(place)},
      clock_{wire_.get_executor()},
      buffer_(kFirstBuffer) {}

void HttpLine::break_at(Clock::time_point time) {
  breaks_at_ = time;
  if (time < rings_at_) start_clock(time);
}

void HttpLine::start_clock(Clock::time_point time) {
  rings_at_ = time;
  clock_.expires_at(time);
  clock_.async_wait([weak = weak_from_this()](boost::system::error_code const& error) {
    auto const self = weak.lock();
    if (!error && self) self->ring();
  });
}

void HttpLine::ring() {
  rings_at_ = Clock::time_point::max();
  if (breaks_at_ == Clock::time_point::max()) return;
  if (Clock::now() < breaks_at_) return start_clock(breaks_at_);
  late_ = true;
  boost::system::error_code ignored;
  wire_.tcp().close(ignored);  // NOLINT(bugprone-unused-return-value)
}

bool HttpLine::is_fresh() {
  if (late_ || begin_ != end_) return false;
  char byte = 0;
  auto const size =
      ::recv(wire_.tcp().native_handle(), &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
  return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

Async<HttpLine::Sent> HttpLine::send_some(asio::const_buffer text) {
  auto const state = co_await asio::this_coro::cancellation_state;
  if (late_ || is_interrupted(state)) co_return Sent{asio::error::operation_aborted};
  auto const [error, size] = co_await wire_.async_write_some(text, use_tuple);
  co_return Sent{error, size};
}

Async<boost::system::error_code> HttpLine::receive() {
  auto const state = co_await asio::this_coro::cancellation_state;
  if (late_ || is_interrupted(state)) co_return asio::error::operation_aborted;
  make_room();
  auto const [error, size] = co_await wire_.async_read_some(
      asio::buffer(buffer_.data() + end_, buffer_.size() - end_), use_tuple);
  end_ += size;
  co_return error;
}

void HttpLine::use(std::size_t bytes) noexcept {
  begin_ += bytes;
  if (begin_ == end_) begin_ = end_ = 0;
}

// What is unread has a bound that its reader keeps.
void HttpLine::make_room() {
  if (end_ < buffer_.size()) return;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  } else {
    buffer_.resize(buffer_.size() * 2);
  }
}

}  // namespace sallyport::egress
