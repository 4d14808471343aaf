// The bytes below a WebSocket: TCP, with TLS to the server, to the proxy, or to both.
//
// One type for all of them, so that what is built on it is compiled once. Inside egress.
#pragma once

#include "src/base/task.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/core/stream_traits.hpp>

#include <memory>
#include <utility>
#include <variant>

namespace sallyport::egress {

class Wire {
 public:
  using executor_type = Executor;
  using Tcp = asio::basic_stream_socket<asio::ip::tcp, Executor>;
  using Tls = asio::ssl::stream<Tcp>;
  using TlsInTls = asio::ssl::stream<Tls>;

  explicit Wire(Tcp socket) : stream_{std::make_unique<Tcp>(std::move(socket))} {}

  executor_type get_executor() { return tcp().get_executor(); }

  Tcp& tcp() {
    if (auto* const tls = std::get_if<std::unique_ptr<Tls>>(&stream_)) return (*tls)->next_layer();
    if (auto* const both = std::get_if<std::unique_ptr<TlsInTls>>(&stream_)) {
      return (*both)->next_layer().next_layer();
    }
    return *std::get<std::unique_ptr<Tcp>>(stream_);
  }

  // What is sent from now on goes through TLS; its handshake is still to come. At most twice.
  void add_tls(asio::ssl::context& context) {
    if (auto* const tls = std::get_if<std::unique_ptr<Tls>>(&stream_)) {
      stream_ = std::make_unique<TlsInTls>(std::move(**tls), context);
    } else {
      auto& plain = *std::get<std::unique_ptr<Tcp>>(stream_);
      stream_ = std::make_unique<Tls>(std::move(plain), context);
    }
  }
  SSL* tls() {
    if (auto* const both = std::get_if<std::unique_ptr<TlsInTls>>(&stream_)) {
      return (*both)->native_handle();
    }
    return std::get<std::unique_ptr<Tls>>(stream_)->native_handle();
  }
  Async<boost::system::error_code> shake_hands() {
    constexpr auto kRole = asio::ssl::stream_base::client;
    if (auto* const both = std::get_if<std::unique_ptr<TlsInTls>>(&stream_)) {
      auto const [error] = co_await (*both)->async_handshake(kRole, use_tuple);
      co_return error;
    }
    auto& tls = *std::get<std::unique_ptr<Tls>>(stream_);
    auto const [error] = co_await tls.async_handshake(kRole, use_tuple);
    co_return error;
  }

  template <class Buffers, class Token>
  auto async_read_some(Buffers const& buffers, Token&& token) {
    return asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto handler, Buffers const& into) {
          std::visit([&](auto& stream) { stream->async_read_some(into, std::move(handler)); },
                     stream_);
        },
        token, buffers);
  }
  template <class Buffers, class Token>
  auto async_write_some(Buffers const& buffers, Token&& token) {
    return asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto handler, Buffers const& from) {
          std::visit([&](auto& stream) { stream->async_write_some(from, std::move(handler)); },
                     stream_);
        },
        token, buffers);
  }

 private:
  std::variant<std::unique_ptr<Tcp>, std::unique_ptr<Tls>, std::unique_ptr<TlsInTls>> stream_;
};

// What Beast asks for, found by the type.

inline void beast_close_socket(Wire& wire) {
  boost::system::error_code ignored;
  wire.tcp().close(ignored);  // NOLINT(bugprone-unused-return-value)
}

// The WebSocket has ended. We have no more to say; its owner waits for the server's end.
template <class Handler>
void async_teardown(boost::beast::role_type, Wire& wire, Handler&& handler) {
  boost::system::error_code ignored;
  wire.tcp().shutdown(asio::socket_base::shutdown_send, ignored);
  asio::post(wire.get_executor(), [handler = std::forward<Handler>(handler)]() mutable {
    std::move(handler)(boost::system::error_code{});
  });
}

}  // namespace sallyport::egress
