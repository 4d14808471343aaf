#include "src/net/wire.hpp"

#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <poll.h>
#include <tuple>
#include <utility>

namespace sallyport::net {

struct Wire::Tls {
  Tls(Socket& socket, asio::ssl::context& context) : stream{socket, context} {}

  asio::ssl::stream<Socket&> stream;
};

Wire::Wire(Socket socket, asio::ssl::context* tls)
    : socket_{std::move(socket)}, tls_{tls ? std::make_unique<Tls>(socket_, *tls) : nullptr} {
  ErrorCode ignored;  // a socket that is already broken fails at the first read
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);
}

Wire::~Wire() = default;

std::string Wire::peer_address() const {
  ErrorCode error;
  auto const address = socket_.remote_endpoint(error).address();
  if (error) return {};
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  }
  return address.to_string();
}

Async<ErrorCode> Wire::handshake() {
  if (!tls_) co_return ErrorCode{};
  auto const [error] =
      co_await tls_->stream.async_handshake(asio::ssl::stream_base::server, use_tuple);
  co_return error;
}

Async<ErrorCode> Wire::read_some(asio::mutable_buffer space, std::size_t& count) {
  ErrorCode error;
  if (tls_) {
    std::tie(error, count) = co_await tls_->stream.async_read_some(space, use_tuple);
  } else {
    std::tie(error, count) = co_await socket_.async_read_some(space, use_tuple);
  }
  co_return error;
}

void Wire::start_read(asio::mutable_buffer space,
                      std::function<void(ErrorCode, std::size_t)> on_read) {
  if (tls_) {
    tls_->stream.async_read_some(space, std::move(on_read));
  } else {
    socket_.async_read_some(space, std::move(on_read));
  }
}

bool Wire::write_at_once(Buffers& buffers, ErrorCode& error) {
  if (tls_) return false;
  auto count = socket_.write_some(buffers, error);
  if (error == asio::error::would_block) error = {};
  for (auto& buffer : buffers) {
    auto const taken = std::min(count, buffer.size());
    buffer += taken;
    count -= taken;
  }
  return asio::buffer_size(buffers) == 0;
}

Async<ErrorCode> Wire::write_rest(Buffers buffers) {
  ErrorCode error;
  std::size_t count = 0;
  if (tls_) {
    std::tie(error, count) = co_await asio::async_write(tls_->stream, buffers, use_tuple);
  } else {
    std::tie(error, count) = co_await asio::async_write(socket_, buffers, use_tuple);
  }
  co_return error;
}

bool Wire::peer_closed() {
  pollfd question{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
  return ::poll(&question, 1, 0) > 0;
}

Async<void> Wire::finish_writing() {
  if (tls_) co_await tls_->stream.async_shutdown(use_tuple);
  ErrorCode ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

Async<void> Wire::discard(std::size_t max_bytes) {
  std::array<char, 4096> nowhere{};
  while (max_bytes > 0) {
    auto const [error, count] = co_await socket_.async_read_some(asio::buffer(nowhere), use_tuple);
    if (error) co_return;
    max_bytes -= std::min(count, max_bytes);
  }
}

void Wire::cancel() noexcept {
  ErrorCode ignored;
  socket_.cancel(ignored);
}

void Wire::close() noexcept {
  ErrorCode ignored;
  socket_.close(ignored);
}

void Wire::reset() noexcept {
  ErrorCode ignored;
  socket_.set_option(asio::socket_base::linger{true, 0}, ignored);
  socket_.close(ignored);
}

}  // namespace sallyport::net
