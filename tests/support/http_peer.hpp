// A scripted HTTP peer on 127.0.0.1: answers each request with the bytes that a test chose, then
// closes the connection. It runs in a thread of its own.
#pragma once

#include "src/base/task.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace sallyport::test {

class HttpPeer {
 public:
  // Gets the whole request as text, gives the whole response. Called on the peer's thread. An
  // empty response: never answer, keep the connection open.
  using Script = std::function<std::string(std::string const& request)>;

  explicit HttpPeer(Script script) : script_{std::move(script)} {
    asio::co_spawn(context_, accept(), asio::detached);
    thread_ = std::thread{[this] { context_.run(); }};
  }
  ~HttpPeer() {
    context_.stop();
    thread_.join();
  }
  HttpPeer(HttpPeer const&) = delete;
  HttpPeer& operator=(HttpPeer const&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url(std::string const& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }

  static std::string ok(std::string const& body, std::string const& headers = {}) {
    return "HTTP/1.1 200 OK\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
  }

 private:
  using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;
  using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, Executor>;

  Async<void> accept() {
    while (true) {
      Socket socket{context_.get_executor()};
      co_await acceptor_.async_accept(socket, use_async);
      asio::co_spawn(context_, serve(std::move(socket)), asio::detached);
    }
  }

  Async<void> serve(Socket socket) {
    std::string request;
    auto const [failed, head] = co_await asio::async_read_until(
        socket, asio::dynamic_buffer(request), "\r\n\r\n", use_tuple);
    if (failed) co_return;
    auto const whole = head + body_size(request.substr(0, head));
    if (request.size() < whole) {
      co_await asio::async_read(socket, asio::dynamic_buffer(request),
                                asio::transfer_exactly(whole - request.size()), use_tuple);
    }
    auto const response = script_(request);
    if (response.empty()) {
      char byte = 0;
      co_await socket.async_read_some(asio::buffer(&byte, 1), use_tuple);  // until it hangs up
      co_return;
    }
    co_await asio::async_write(socket, asio::buffer(response), use_tuple);
    boost::system::error_code ignored;
    socket.shutdown(Socket::shutdown_send, ignored);
  }

  static std::size_t body_size(std::string const& head) {
    auto const at = head.find("Content-Length: ");
    return at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
  }

  Script script_;
  asio::io_context context_{1};
  Acceptor acceptor_{context_.get_executor(), {asio::ip::address_v4::loopback(), 0}};
  std::uint16_t port_{acceptor_.local_endpoint().port()};
  std::thread thread_;
};

}  // namespace sallyport::test
