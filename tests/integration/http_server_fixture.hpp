// An HttpServer on two loops, running beside the test.
#pragma once

#include "src/net/http_server.hpp"

#include "tests/support/raw_client.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace sallyport::test {

using namespace std::chrono_literals;

class HttpServerTest : public testing::Test {
 protected:
  // Starts the server; the handler must not refer to what a test declares after this call.
  void serve(net::Handler handler) {
    options_.port = 0;
    auto made = net::HttpServer::create(options_, loops_, metrics_, std::move(handler));
    ASSERT_TRUE(made) << made.error().message;
    server_ = std::move(*made);
    server_->start();
    thread_ = std::thread{[this] { loops_.run(); }};
  }

  // Returns when everything has ended; tells how long that took.
  std::chrono::milliseconds stop(std::chrono::milliseconds grace = 0ms) {
    auto const begin = Clock::now();
    if (!server_) return 0ms;
    server_->stop(grace, [this] {
      server_.reset();
      loops_.finish();
    });
    thread_.join();
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  }

  void TearDown() override { stop(); }

  RawClient connect() { return RawClient{server_->port()}; }

  // One request on a connection of its own.
  RawResponse ask(std::string_view bytes) {
    auto client = connect();
    client.send(bytes);
    return client.receive();
  }

  std::uint64_t metric(std::string const& series) const {
    auto const text = metrics_.render();
    auto const at = text.find("\n" + series + " ");
    return at == std::string::npos ? 0 : std::stoull(text.substr(at + series.size() + 2));
  }

  std::uint64_t refused(std::string const& reason) const {
    return metric("sallyport_http_refused_total{reason=\"" + reason + "\"}");
  }

  // Waits for what another thread is about to do.
  template <class Condition>
  static bool soon(Condition const& condition) {
    for (auto const end = Clock::now() + 10s; Clock::now() < end;) {
      if (condition()) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }

  // Says what it received.
  static Async<void> echo(net::Exchange& exchange) {
    auto const& request = exchange.request();
    http::Response response{.content_type = "text/plain",
                            .body = request.method + ' ' + request.path + ' ' + request.body};
    (void)co_await exchange.respond(std::move(response));
  }

  EventLoops loops_{2};
  Metrics metrics_;
  net::ServerOptions options_;
  std::unique_ptr<net::HttpServer> server_;
  std::thread thread_;
};

inline std::string get(std::string_view path, std::string_view fields = "") {
  return "GET " + std::string{path} + " HTTP/1.1\r\nHost: a\r\n" + std::string{fields} + "\r\n";
}

inline std::string post(std::string_view path, std::string_view body) {
  return "POST " + std::string{path} +
         " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string{body};
}

}  // namespace sallyport::test
