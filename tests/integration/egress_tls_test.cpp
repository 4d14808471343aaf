// TLS and HTTP/2, against OpenSSL and against a real nginx.
#include "tests/support/connect_proxy.hpp"
#include "tests/support/egress.hpp"
#include "tests/support/nginx.hpp"
#include "tests/support/not_tested.hpp"
#include "tests/support/origin.hpp"

#include <gmock/gmock.h>

namespace sallyport::egress {
namespace {

using namespace std::chrono_literals;
using test::CertificateAuthority;
using test::CertificateWish;
using test::get;
using test::make_connector;
using test::Origin;
using test::send;

class EgressTls : public testing::Test {
 protected:
  // What a client that trusts our authority says to an origin with such a certificate.
  Result<test::Answer> meet(CertificateWish const& wish, std::string const& host = "localhost") {
    Origin const origin{Origin::answering(Origin::ok("secret")), authority_.issue(wish)};
    auto const connector = make_connector({.ca_file = authority_.file()});
    return send(*connector, get(origin.url("/", host)));
  }

  CertificateAuthority authority_;
};

TEST_F(EgressTls, TrustsTheOperatorsOwnAuthority) {
  auto const answer = meet({});
  ASSERT_TRUE(answer) << answer.error().detail;
  EXPECT_EQ(answer->body, "secret");
}

TEST_F(EgressTls, TheNameCountsAlthoughTheAddressIsDialled) {
  auto const good = meet({.names = "DNS:pinned.example"}, "pinned.example");
  ASSERT_TRUE(good) << good.error().detail;
  EXPECT_FAILS(meet({.names = "IP:127.0.0.1"}, "pinned.example"), Errc::UpstreamFailed,
               "The certificate of pinned.example is not valid for the host name.");
}

TEST_F(EgressTls, SaysWhyACertificateIsNotTrusted) {
  EXPECT_FAILS(meet({.self_signed = true}), Errc::UpstreamFailed,
               "The certificate of localhost is not trusted: self-signed certificate.");
  EXPECT_FAILS(meet({.valid_from = -7200, .valid_to = -3600}), Errc::UpstreamFailed,
               "The certificate of localhost has expired.");
  EXPECT_FAILS(meet({.valid_from = 3600, .valid_to = 7200}), Errc::UpstreamFailed,
               "The certificate of localhost is not yet valid.");
  EXPECT_FAILS(meet({.names = "DNS:other.example"}), Errc::UpstreamFailed,
               "The certificate of localhost is not valid for the host name.");
}

TEST_F(EgressTls, TheSystemsAuthoritiesDoNotTrustOurs) {
  Origin const origin{Origin::answering(Origin::ok("x")), authority_.issue()};
  auto const connector = make_connector();
  EXPECT_FAILS(
      send(*connector, get(origin.url("/", "localhost"))), Errc::UpstreamFailed,
      "The certificate of localhost is not trusted: unable to get local issuer certificate.");
  EXPECT_EQ(origin.requests(), 0U);
}

TEST_F(EgressTls, AFileOfCertificatesThatCannotBeReadIsAnError) {
  auto const connector = CurlConnector::create({.ca_file = "/nowhere/authorities.pem"});
  ASSERT_FALSE(connector);
  EXPECT_EQ(connector.error().code, Errc::InvalidInput);
}

TEST_F(EgressTls, PlainHttpOnATlsPortIsAFailedHandshake) {
  Origin const origin{[](Origin::Connection& peer) { peer.send("HTTP/1.1 400 Bad\r\n\r\n"); }};
  auto const connector = make_connector({.ca_file = authority_.file()});
  EXPECT_FAILS(send(*connector, get("https://localhost:" + std::to_string(origin.port()))),
               Errc::UpstreamFailed, "The TLS handshake with localhost failed.");
}

TEST_F(EgressTls, AProxyBehindTlsIsVerifiedByItsName) {
  test::ProxyLog log;
  Origin const origin{Origin::answering(Origin::ok("x"))};
  for (bool const good : {true, false}) {
    // Only the handshake and the CONNECT are spoken: the answer refuses.
    Origin const proxy{
        Origin::answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"),
        authority_.issue({.names = good ? "DNS:proxy.example" : "DNS:other.example"})};
    auto const connector = make_connector(
        {.ca_file = authority_.file(),
         .proxy = ProxyOptions{.url = test::parse_url(proxy.url("/", "proxy.example")),
                               .addresses = {*url::IpAddress::parse("127.0.0.1")}}});
    auto const answer = send(*connector, get(origin.url()));
    ASSERT_FALSE(answer);
    EXPECT_EQ(proxy.requests(), good ? 1U : 0U) << answer.error().message;
  }
}

class EgressNginx : public EgressTls {
 protected:
  void SetUp() override {
    if (!test::Nginx::is_installed()) SP_NOT_TESTED("install nginx-light");
    nginx_ = std::make_unique<test::Nginx>(
        test::NginxOptions{.locations = "location /hello { return 200 '$server_protocol'; }",
                           .tls = authority_.issue()});
    nginx_->put_file("big", std::string(5'000'000, 'x'));
    connector_ = make_connector({.ca_file = authority_.file()});
  }

  std::unique_ptr<test::Nginx> nginx_;
  std::unique_ptr<CurlConnector> connector_;
};

TEST_F(EgressNginx, SpeaksHttp2BehindTlsAndHttp1Without) {
  auto const plain = send(*connector_, get(nginx_->url("/hello")));
  auto const secure = send(*connector_, get(nginx_->tls_url("/hello")));
  ASSERT_TRUE(plain) << plain.error().detail;
  ASSERT_TRUE(secure) << secure.error().detail;
  EXPECT_EQ(plain->body, "HTTP/1.1");
  EXPECT_EQ(plain->head.version, "1.1");
  EXPECT_EQ(secure->body, "HTTP/2.0");
  EXPECT_EQ(secure->head.version, "2");
  EXPECT_EQ(secure->head.reason, "");
}

TEST_F(EgressNginx, SharesOneHttp2ConnectionAmongExchanges) {
  ASSERT_TRUE(send(*connector_, get(nginx_->tls_url("/hello"))));
  asio::io_context loop;
  int reused = 0;
  for (int i = 0; i < 40; ++i) {
    auto dispatch = get(nginx_->tls_url(i % 2 == 0 ? "/big" : "/hello"));
    dispatch.whole = i % 4 < 2;
    asio::co_spawn(loop, test::read_all(*connector_, std::move(dispatch)),
                   [&, i](auto, Result<test::Answer> const& answer) {
                     ASSERT_TRUE(answer) << answer.error().detail;
                     EXPECT_EQ(answer->body.size(), i % 2 == 0 ? 5'000'000U : 8U);
                     reused += answer->stats.reused_connection ? 1 : 0;
                   });
  }
  loop.run();
  EXPECT_EQ(reused, 40);
}

TEST_F(EgressNginx, OneSlowReaderDoesNotHoldUpOthersOnTheSameHttp2Connection) {
  ASSERT_TRUE(send(*connector_, get(nginx_->tls_url("/hello"))));
  asio::io_context loop;
  bool slow_is_done = false;
  bool fast_came_first = false;
  auto const slow = [&]() -> Task<int> {
    auto dispatch = get(nginx_->tls_url("/big"));
    dispatch.whole = false;
    ExchangeStats stats;
    SP_CO_TRY(auto const exchange, co_await connector_->open(std::move(dispatch), stats));
    Timer timer{co_await asio::this_coro::executor, Clock::now() + 1s};
    co_await timer.async_wait(use_async);
    std::size_t size = 0;
    while (true) {
      SP_CO_TRY(auto const piece, co_await exchange->read());
      if (piece.empty()) break;
      size += piece.size();
    }
    EXPECT_EQ(size, 5'000'000U);
    slow_is_done = true;
    co_return 0;
  };
  auto const fast = [&]() -> Task<int> {
    Timer timer{co_await asio::this_coro::executor, Clock::now() + 100ms};
    co_await timer.async_wait(use_async);
    SP_CO_TRY(auto const answer,
              co_await test::read_all(*connector_, get(nginx_->tls_url("/hello"))));
    fast_came_first = !slow_is_done && answer.body.size() == 8;
    co_return 0;
  };
  asio::co_spawn(loop, slow(), [](auto, auto const& result) { EXPECT_TRUE(result); });
  asio::co_spawn(loop, fast(), [](auto, auto const& result) { EXPECT_TRUE(result); });
  loop.run();
  EXPECT_TRUE(slow_is_done);
  EXPECT_TRUE(fast_came_first);
}

TEST_F(EgressNginx, LimitsHoldForHttp2) {
  auto dispatch = get(nginx_->tls_url("/big"));
  dispatch.limits.body_bytes = 1024;
  EXPECT_FAILS(send(*connector_, std::move(dispatch)), Errc::LimitExceeded,
               "The answer is larger than the limit of 1 KiB.");
  ASSERT_TRUE(send(*connector_, get(nginx_->tls_url("/hello"))));
}

}  // namespace
}  // namespace sallyport::egress
