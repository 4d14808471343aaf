// For tests of WebSockets through the real connector.
#pragma once

#include "src/egress/beast_connector.hpp"

#include "tests/support/egress.hpp"
#include "tests/support/socket_peer.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace sallyport::egress {

using UseSocket = std::function<Task<void>(Socket&)>;

inline std::string socket_url(test::Origin const& origin, std::string_view host = "127.0.0.1") {
  return "ws" + origin.url("/chat?a=1", host).substr(4);
}

inline SocketDispatch to(std::string const& url,
                         std::vector<std::string> const& addresses = {"127.0.0.1"}) {
  auto const parsed = test::parse_url(url);
  auto const place = test::parse_url("http" + url.substr(2));
  return {.url = parsed,
          .addresses = test::judged(place, addresses),
          .deadline = Deadline::in(std::chrono::seconds{10})};
}

class SocketTest : public testing::Test {
 protected:
  // Opens a WebSocket and does something with it.
  Result<void> with_socket(SocketDispatch dispatch, UseSocket const& use) {
    return test::run(open_and_use(std::move(dispatch), use));
  }
  Result<void> with_socket(test::Origin const& origin, UseSocket const& use) {
    return with_socket(to(socket_url(origin)), use);
  }
  Task<void> open_and_use(SocketDispatch dispatch, UseSocket const& use) {
    SP_CO_TRY(auto const handshake, co_await connector_.open(std::move(dispatch), stats_));
    status_ = handshake.head.status;
    if (!handshake.socket) co_return fail(Errc::NotFound, "It did not agree.");
    auto const used = co_await capture(use(*handshake.socket));
    closing_ = handshake.socket->closing();
    stats_ = handshake.socket->stats();
    co_return used;
  }
  // To its end; what came is kept.
  Task<void> read_all(Socket& socket) {
    while (true) {
      SP_CO_TRY(auto const message, co_await socket.next());
      if (!message) co_return Result<void>{};
      came_.push_back((message->text ? "t:" : "b:") + message->data);
    }
  }
  UseSocket reading() {
    return [this](Socket& socket) { return read_all(socket); };
  }

  test::CertificateAuthority authority_;
  BeastConnector connector_{{.ca_file = authority_.file()}};
  ExchangeStats stats_;
  int status_{0};
  SocketClosing closing_;
  std::vector<std::string> came_;
};

}  // namespace sallyport::egress
