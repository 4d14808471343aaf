// What is sent and what comes back when everybody behaves.
#include "tests/support/egress.hpp"
#include "tests/support/origin.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

namespace sallyport::egress {
namespace {

using namespace std::chrono_literals;
using test::get;
using test::make_connector;
using test::Origin;
using test::send;
using testing::HasSubstr;
using testing::Not;

std::string echo(std::string const& request) {
  return Origin::ok(request);
}

TEST(EgressExchange, BringsBackStatusReasonVersionHeadersAndBody) {
  Origin const origin{Origin::answering(
      "HTTP/1.1 404 Not Here\r\nX-One: 1\r\nX-One:  2 \r\nContent-Length: 4\r\n\r\nnone")};
  auto const connector = make_connector();

  for (bool const whole : test::kModes) {
    auto dispatch = get(origin.url("/a"));
    dispatch.whole = whole;
    auto const answer = send(*connector, std::move(dispatch));

    ASSERT_TRUE(answer) << answer.error().detail;
    EXPECT_EQ(answer->head.status, 404);
    EXPECT_EQ(answer->head.reason, "Not Here");
    EXPECT_EQ(answer->head.version, "1.1");
    EXPECT_EQ(answer->head.headers.count("X-One"), 2U);
    EXPECT_EQ((answer->head.headers.begin() + 1)->value, "2");
    EXPECT_EQ(answer->body, "none");
  }
}

TEST(EgressExchange, SendsTheTargetAsItIsAndNoHeaderOfItsOwn) {
  Origin const origin{Origin::answering(echo)};
  auto const connector = make_connector();

  auto dispatch = get(origin.url("/a%2F..%2fb/[x]{y}|;?q=1&r=%20'a'#fragment"));
  auto const target = dispatch.url.target();
  auto const authority = dispatch.url.authority();
  dispatch.headers = {{"X-Test", "yes"}, {"X-Empty", ""}};
  auto const answer = send(*connector, std::move(dispatch));

  ASSERT_TRUE(answer) << answer.error().detail;
  EXPECT_EQ(answer->body, "GET " + target + " HTTP/1.1\r\nHost: " + authority +
                              "\r\nAccept-Encoding: gzip, br, zstd, deflate\r\n"
                              "X-Test: yes\r\nX-Empty:\r\n\r\n");
}

TEST(EgressExchange, SendsEveryMethodWithItsBody) {
  Origin const origin{Origin::answering(echo)};
  auto const connector = make_connector();

  for (std::string const method : {"POST", "PUT", "PATCH", "DELETE", "GET", "QUERY"}) {
    for (std::string const& body :
         {std::string{}, std::string{"body"}, std::string(300'000, 'b')}) {
      auto dispatch = get(origin.url("/m"));
      dispatch.method = method;
      dispatch.body = body;
      auto const answer = send(*connector, std::move(dispatch));
      ASSERT_TRUE(answer) << method << answer.error().detail;
      EXPECT_TRUE(answer->body.starts_with(method + " /m HTTP/1.1\r\n"))
          << answer->body.substr(0, 99);
      EXPECT_TRUE(answer->body.ends_with("\r\n\r\n" + body)) << method;
      EXPECT_EQ(answer->stats.bytes_sent, body.size());
      EXPECT_THAT(answer->body.substr(0, 200), Not(HasSubstr("Expect")));
      EXPECT_THAT(answer->body.substr(0, 200), Not(HasSubstr("Content-Type")));
    }
  }
  EXPECT_EQ(origin.connections(), 1U);
}

TEST(EgressExchange, SaysThatAPostWithoutABodyIsEmpty) {
  Origin const origin{Origin::answering(echo)};
  auto const connector = make_connector();
  auto dispatch = get(origin.url());
  dispatch.method = "POST";

  auto const answer = send(*connector, std::move(dispatch));

  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->body, HasSubstr("Content-Length: 0\r\n"));
}

TEST(EgressExchange, AHeadRequestEndsWithTheHead) {
  Origin const origin{Origin::answering(
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\nContent-Encoding: gzip\r\n\r\n")};
  auto const connector = make_connector();
  auto dispatch = get(origin.url());
  dispatch.method = "HEAD";

  auto const answer = send(*connector, std::move(dispatch));

  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "");
  EXPECT_EQ(*answer->head.headers.find("Content-Length"), "99999999999");
  EXPECT_NE(answer->head.headers.find("Content-Encoding"), nullptr);
}

TEST(EgressExchange, AHandleThatServedAnotherMethodKeepsNothingOfIt) {
  Origin const origin{Origin::answering([](std::string const& request) {
    return request.starts_with("HEAD") ? "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
                                       : Origin::ok(request);
  })};
  auto const connector = make_connector();
  for (std::string const method : {"HEAD", "GET", "POST", "GET", "HEAD", "DELETE", "GET"}) {
    auto dispatch = get(origin.url());
    dispatch.method = method;
    if (method == "POST") dispatch.body = "secret body";
    if (method == "POST") dispatch.headers = {{"Authorization", "secret"}};
    auto const answer = send(*connector, std::move(dispatch));
    ASSERT_TRUE(answer) << method << answer.error().message;
    if (method == "HEAD") {
      EXPECT_EQ(answer->body, "");
    } else {
      EXPECT_TRUE(answer->body.starts_with(method + " / HTTP/1.1\r\n")) << answer->body;
    }
    if (method != "POST") EXPECT_THAT(answer->body, Not(HasSubstr("secret")));
    if (method == "GET") EXPECT_THAT(answer->body, Not(HasSubstr("Content-Length")));
  }
}

TEST(EgressExchange, RefusesWhatWouldBreakTheMessage) {
  Origin const origin{Origin::answering(echo)};
  auto const connector = make_connector();
  for (auto const& headers :
       {http::Headers{{"X-Test", "a\r\nX-Other: b"}}, http::Headers{{"X-Test: a\r\nX-Other", "b"}},
        http::Headers{{"X-Test", std::string{"a\0b", 3}}}, http::Headers{{"", "b"}},
        http::Headers{{"host", "other.example"}}, http::Headers{{"Content-Length", "5"}},
        http::Headers{{"Transfer-Encoding", "chunked"}}}) {
    auto dispatch = get(origin.url());
    dispatch.headers = headers;
    auto const answer = send(*connector, std::move(dispatch));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::InvalidInput);
  }
  for (std::string const method : {"", "GE T", "CONNECT", "GET / HTTP/1.1\r\nX: y\r\n\r\nGET"}) {
    auto dispatch = get(origin.url());
    dispatch.method = method;
    auto const answer = send(*connector, std::move(dispatch));
    ASSERT_FALSE(answer) << method;
    EXPECT_EQ(answer.error().code, Errc::InvalidInput);
  }
  EXPECT_EQ(origin.connections(), 0U);
}

TEST(EgressExchange, FollowsNoRedirectAndKeepsNoCookie) {
  Origin const origin{Origin::answering([](std::string const& request) {
    return "HTTP/1.1 302 Found\r\nLocation: /other\r\nSet-Cookie: a=b\r\nContent-Length: " +
           std::to_string(request.size()) + "\r\n\r\n" + request;
  })};
  auto const connector = make_connector();
  for (int round = 0; round < 2; ++round) {
    auto const answer = send(*connector, get(origin.url()));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->head.status, 302);
    EXPECT_EQ(*answer->head.headers.find("Location"), "/other");
    EXPECT_THAT(answer->body, Not(HasSubstr("Cookie")));
  }
}

TEST(EgressExchange, PassesOverInterimAnswersAndTrailers) {
  Origin const origin{
      Origin::answering("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n"
                        "3\r\nabc\r\n0\r\nX-End: 1\r\n\r\n")};
  auto const connector = make_connector();
  for (bool const whole : test::kModes) {
    auto dispatch = get(origin.url());
    dispatch.whole = whole;
    auto const answer = send(*connector, std::move(dispatch));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->head.status, 200);
    EXPECT_EQ(answer->head.headers.size(), 0U);
    EXPECT_EQ(answer->body, "abc");
  }
  EXPECT_EQ(origin.connections(), 1U);
}

TEST(EgressExchange, ReusesAConnectionAndSaysSo) {
  Origin const origin{Origin::answering(Origin::ok("hello"))};
  auto const connector = make_connector();

  auto const first = send(*connector, get(origin.url()));
  auto const second = send(*connector, get(origin.url()));

  ASSERT_TRUE(first && second);
  EXPECT_EQ(origin.connections(), 1U);
  EXPECT_FALSE(first->stats.reused_connection);
  EXPECT_GT(first->stats.connect.count(), 0);
  EXPECT_TRUE(second->stats.reused_connection);
  EXPECT_EQ(second->stats.connect.count(), 0);
  EXPECT_EQ(second->stats.connected_address, "127.0.0.1");
  EXPECT_EQ(second->stats.bytes_received, 5U);
  EXPECT_GT(second->stats.total.count(), 0);
  EXPECT_GT(second->stats.first_byte.count(), 0);
}

TEST(EgressExchange, ComesThroughWhenAPooledConnectionWasClosedMeanwhile) {
  Origin const origin{Origin::answering_once(Origin::ok("hello"))};
  auto const connector = make_connector();
  for (int round = 0; round < 20; ++round) {
    auto dispatch = get(origin.url());
    dispatch.method = "PUT";
    dispatch.body = "x";
    auto const answer = send(*connector, std::move(dispatch));
    ASSERT_TRUE(answer) << answer.error().detail;
    EXPECT_EQ(answer->body, "hello");
  }
}

// Keeps the connection after its first answer, and closes it on the second request without one.
Origin::Script closing_on_the_second_request() {
  return [](Origin::Connection& peer) {
    if (peer.receive_request().empty() || !peer.send(Origin::ok("hello"))) return;
    peer.receive_request();
  };
}

TEST(EgressExchange, SendsOnceWhatMayHaveBeenCarriedOut) {
  for (auto const* const method : {"POST", "PATCH", "X-OWN"}) {
    Origin const origin{closing_on_the_second_request()};
    auto const connector = make_connector();
    ASSERT_TRUE(send(*connector, get(origin.url())));
    auto dispatch = get(origin.url());
    dispatch.method = method;
    dispatch.body = "pay";
    EXPECT_FAILS(send(*connector, std::move(dispatch)), Errc::UpstreamFailed,
                 "127.0.0.1 closed the connection before it answered. The request was not sent "
                 "again, since it may have been carried out.");
    EXPECT_EQ(origin.requests(), 2U) << method;
  }
}

TEST(EgressExchange, SendsAgainWhatDoesNoHarmTwice) {
  for (auto const* const method : {"GET", "PUT", "DELETE"}) {
    Origin const origin{closing_on_the_second_request()};
    auto const connector = make_connector();
    ASSERT_TRUE(send(*connector, get(origin.url())));
    auto dispatch = get(origin.url());
    dispatch.method = method;
    auto const answer = send(*connector, std::move(dispatch));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(origin.requests(), 3U) << method;
    EXPECT_EQ(origin.connections(), 2U) << method;
  }
}

TEST(EgressExchange, HandsOverTheHeadBeforeTheBody) {
  Origin const origin{[](Origin::Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
    peer.wait_for_end();
  }};
  auto const connector = make_connector();
  auto dispatch = get(origin.url());
  dispatch.whole = false;

  auto const task = [&]() -> Task<std::string> {
    ExchangeStats stats;
    SP_CO_TRY(auto exchange, co_await connector->open(std::move(dispatch), stats));
    EXPECT_EQ(exchange->head().status, 200);
    EXPECT_EQ(stats.connected_address, "127.0.0.1");
    co_return co_await exchange->read();
  };
  auto const piece = test::run(task());

  ASSERT_TRUE(piece);
  EXPECT_EQ(*piece, "half");
}

TEST(EgressExchange, IgnoresTheProxiesOfTheEnvironment) {
  Origin const origin{Origin::answering(Origin::ok("direct"))};
  Origin const proxy{Origin::answering(Origin::ok("proxied"))};
  for (auto const* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"}) {
    setenv(name, proxy.url().c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  }
  auto const connector = make_connector();

  auto const answer = send(*connector, get(origin.url()));

  for (auto const* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"}) {
    unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
  }
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "direct");
  EXPECT_EQ(proxy.connections(), 0U);
}

}  // namespace
}  // namespace sallyport::egress
