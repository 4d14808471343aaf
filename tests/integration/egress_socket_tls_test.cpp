// WebSockets over TLS, and through a proxy.
#include "tests/integration/egress_socket_fixture.hpp"
#include "tests/support/connect_proxy.hpp"

#include <gmock/gmock.h>

namespace sallyport::egress {
namespace {

using namespace sallyport::test;
using testing::HasSubstr;
using testing::StartsWith;

class EgressSocketTls : public SocketTest {
 protected:
  Result<void> meet(CertificateWish const& wish, std::string const& host = "localhost") {
    Origin const origin{[](Origin::Connection& peer) {
                          SocketPeer socket{peer};
                          socket.accept();
                          socket.send(kTextFrame, "secret");
                          socket.close(1000);
                          socket.receive();
                        },
                        authority_.issue(wish)};
    return with_socket(to("wss" + origin.url("/", host).substr(5)), reading());
  }
};

TEST_F(EgressSocketTls, TrustsWhomTheOperatorTrusts) {
  auto const met = meet({});
  ASSERT_TRUE(met) << met.error().message << met.error().detail;
  EXPECT_EQ(came_, std::vector<std::string>{"t:secret"});
  EXPECT_EQ(closing_.code, 1000);
  EXPECT_TRUE(meet({}, "127.0.0.1")) << "by its address";
  EXPECT_TRUE(meet({.names = "DNS:pinned.example"}, "pinned.example"));
  EXPECT_TRUE(meet({.names = "DNS:pinned.example"}, "pinned.example."));
}

TEST_F(EgressSocketTls, SaysWhyACertificateIsNotTrusted) {
  EXPECT_FAILS(meet({.self_signed = true}), Errc::UpstreamFailed,
               "The certificate of localhost is not trusted: self-signed certificate.");
  EXPECT_FAILS(meet({.valid_from = -7200, .valid_to = -3600}), Errc::UpstreamFailed,
               "The certificate of localhost has expired.");
  EXPECT_FAILS(meet({.valid_from = 3600, .valid_to = 7200}), Errc::UpstreamFailed,
               "The certificate of localhost is not yet valid.");
  EXPECT_FAILS(meet({.names = "DNS:other.example"}), Errc::UpstreamFailed,
               "The certificate of localhost is not valid for the host name.");
  EXPECT_FAILS(meet({.names = "IP:127.0.0.1"}, "pinned.example"), Errc::UpstreamFailed,
               "The certificate of pinned.example is not valid for the host name.");
  EXPECT_FAILS(meet({.names = "DNS:localhost,IP:127.0.0.2"}, "127.0.0.1"), Errc::UpstreamFailed,
               "The certificate of 127.0.0.1 is not valid for the host name.");
}

TEST_F(EgressSocketTls, PlainHttpOnATlsPortIsAFailedHandshake) {
  Origin const origin{[](Origin::Connection& peer) { peer.send("HTTP/1.1 400 Bad\r\n\r\n"); }};
  EXPECT_FAILS(with_socket(to("wss" + socket_url(origin, "localhost").substr(2)), reading()),
               Errc::UpstreamFailed, "The TLS handshake with localhost failed.");
}

class EgressSocketProxy : public EgressSocketTls {
 protected:
  static ProxyOptions options(Origin const& proxy, std::string const& user = {}) {
    auto url = proxy.url("/", "proxy.example");
    if (!user.empty()) url.insert(url.find("//") + 2, user + "@");
    return {.url = parse_url(url), .addresses = {*url::IpAddress::parse("127.0.0.1")}};
  }
  Result<void> meet_through(ProxyOptions proxy, Origin const& origin, std::string const& scheme,
                            std::string const& host) {
    BeastConnector connector{{.ca_file = authority_.file(), .proxy = std::move(proxy)}};
    auto const use = reading();
    auto const url = scheme + "://" + host + ":" + std::to_string(origin.port()) + "/";
    auto const meet = [&]() -> Task<void> {
      SP_CO_TRY(auto const handshake, co_await connector.open(to(url, {"127.0.0.2"}), stats_));
      co_return co_await use(*handshake.socket);
    };
    return run(meet());
  }
  Origin::Script greeting() {
    return [](Origin::Connection& peer) {
      SocketPeer socket{peer};
      socket.accept();
      socket.send(kTextFrame, "hello");
      socket.close(1000);
      socket.receive();
    };
  }

  ProxyLog log_;
};

TEST_F(EgressSocketProxy, IsAskedForTheJudgedAddressAlsoByWs) {
  Origin const origin{greeting()};
  Origin const secure{greeting(), authority_.issue()};
  Origin const proxy{connect_proxy(log_)};

  auto const plain = meet_through(options(proxy, "me:p%40ss"), origin, "ws", "a.example");
  EXPECT_TRUE(plain) << plain.error().message;
  auto by_name = options(proxy);
  by_name.by_name = true;
  auto const tls = meet_through(by_name, secure, "wss", "localhost");
  EXPECT_TRUE(tls) << tls.error().message;

  EXPECT_EQ(came_, (std::vector<std::string>{"t:hello", "t:hello"}));
  ASSERT_EQ(log_.heads().size(), 2);
  EXPECT_THAT(log_.heads()[0], StartsWith("CONNECT 127.0.0.2:" + std::to_string(origin.port())));
  EXPECT_THAT(log_.heads()[0], HasSubstr("Proxy-Authorization: Basic bWU6cEBzcw=="));
  EXPECT_THAT(log_.heads()[1], StartsWith("CONNECT localhost:" + std::to_string(secure.port())));
}

TEST_F(EgressSocketProxy, ThatRefusesIsNamed) {
  Origin const origin{greeting()};
  for (bool const good : {true, false}) {
    Origin const proxy{Origin::answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"),
                       authority_.issue({.names = good ? "DNS:proxy.example" : "DNS:x.example"})};
    EXPECT_FAILS(meet_through(options(proxy), origin, "ws", "a.example"), Errc::UpstreamFailed,
                 good ? "The proxy refused the connection to a.example."
                      : "The certificate of the proxy is not valid for the host name.");
    EXPECT_EQ(proxy.requests(), good ? 1U : 0U);
  }
  Origin const endless{[](Origin::Connection& peer) {
    peer.receive_request();
    while (peer.send(std::string(1000, 'x'))) {
    }
  }};
  EXPECT_FAILS(meet_through(options(endless), origin, "ws", "a.example"), Errc::UpstreamFailed,
               "The proxy refused the connection to a.example.");
  EXPECT_EQ(origin.connections(), 0U);
}

}  // namespace
}  // namespace sallyport::egress
