// The same where the server is late, broken, hostile or somebody else.
#include "tests/integration/egress_loop_fixture.hpp"
#include "tests/support/connect_proxy.hpp"
#include "tests/support/nginx.hpp"
#include "tests/support/not_tested.hpp"

namespace sallyport::egress {
namespace {

using namespace std::chrono_literals;
using test::get;
using test::Origin;
using Connection = Origin::Connection;

class EgressLoopFaults : public EgressLoopTest {
 protected:
  Result<test::Answer> answered_with(std::string bytes, ExchangeLimits const& limits = {},
                                     bool whole = true) {
    Origin const origin{Origin::answering_once(std::move(bytes))};
    return ask(origin, limits, whole);
  }

  test::CertificateAuthority authority_;
};

TEST_F(EgressLoopFaults, SaysThatAConnectionWasRefused) {
  std::string url;
  {
    Origin const gone{Origin::silent()};
    url = gone.url();
  }
  EXPECT_FAILS(send(get(url)), Errc::UpstreamFailed,
               "Connecting to 127.0.0.1 failed: connection refused.");
}

TEST_F(EgressLoopFaults, SaysWhichTimeRanOut) {
  Origin const silent{Origin::silent()};
  Origin const stalling{[](Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
    peer.wait_for_end();
  }};
  Origin const slow{[](Connection& peer) {
    peer.receive_request();
    peer.trickle("HTTP/1.1 200 OK\r\nX-A: " + std::string(1000, 'a'), 10ms);
  }};
  for (bool const whole : test::kModes) {
    EXPECT_FAILS(ask(silent, {.first_byte = 150ms}, whole), Errc::DeadlineExceeded,
                 "127.0.0.1 did not begin to answer within 150 ms.");
    EXPECT_FAILS(ask(slow, {.first_byte = 150ms}, whole), Errc::DeadlineExceeded,
                 "127.0.0.1 did not begin to answer within 150 ms.");
    EXPECT_FAILS(ask(stalling, {.stall = 150ms}, whole), Errc::DeadlineExceeded,
                 "The answer of 127.0.0.1 stopped: nothing came for 150 ms.");
    EXPECT_FAILS(ask(silent, {}, whole, 150ms), Errc::DeadlineExceeded,
                 "The time for the request ran out before an answer came from 127.0.0.1.");
    EXPECT_FAILS(ask(stalling, {}, whole, 150ms), Errc::DeadlineExceeded,
                 "The time for the request ran out in the middle of the answer of 127.0.0.1.");
  }
}

TEST_F(EgressLoopFaults, AnEventStreamMayBeSilent) {
  Origin const origin{[](Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n");
    peer.pause(300ms);
    peer.send("data: 2\n\n");
  }};
  auto const answer = ask(origin, {.stall = 100ms}, false);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "data: 1\n\ndata: 2\n\n");
}

TEST_F(EgressLoopFaults, RefusesEventStreamsWhereItShould) {
  Origin const origin{
      Origin::answering_once("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hi\n")};
  auto dispatch = get(origin.url());
  dispatch.refuse_event_streams = true;
  EXPECT_FAILS(send(std::move(dispatch)), Errc::UpstreamFailed,
               "The address answers with an event stream (text/event-stream), which goes on "
               "without an end; those are not read.");
}

TEST_F(EgressLoopFaults, ABodyThatIsCutOffIsNoBody) {
  auto const early = "The answer of 127.0.0.1 ended before it was complete.";
  for (bool const whole : test::kModes) {
    EXPECT_FAILS(answered_with("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", {}, whole),
                 Errc::UpstreamFailed,
                 "The answer of 127.0.0.1 ended before its announced length.");
    EXPECT_FAILS(
        answered_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf", {}, whole),
        Errc::UpstreamFailed, early);
    EXPECT_FAILS(answered_with("HTTP/1.1 200 OK\r\nContent-", {}, whole), Errc::UpstreamFailed,
                 early);
    EXPECT_FAILS(answered_with("", {}, whole), Errc::UpstreamFailed,
                 "127.0.0.1 closed the connection without an answer.");
  }
}

TEST_F(EgressLoopFaults, RefusesWhatIsNotHttp) {
  for (auto const* const bytes : {
           "SSH-2.0-OpenSSH_9.2\r\n\r\n",
           "HTTP/2.0 200 OK\r\n\r\n",
           "HTTP/1.1 2x0 OK\r\n\r\n",
           "HTTP/1.1 200 OK\r\nNo colon\r\n\r\n",
           "HTTP/1.1 200 OK\r\nX: \x01\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello",
           "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
           "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello",
           "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nhello",
       }) {
    for (bool const whole : test::kModes) {
      auto const answer = answered_with(bytes, {}, whole);
      ASSERT_FALSE(answer) << bytes;
      EXPECT_EQ(answer.error().message, "The answer of 127.0.0.1 is not valid HTTP.") << bytes;
    }
  }
}

TEST_F(EgressLoopFaults, HasALimitForTheHead) {
  auto const too_large = "The head of the answer is larger than the limit of 8 KiB.";
  std::string const ok = "HTTP/1.1 200 OK\r\n";
  EXPECT_FAILS(
      answered_with(ok + "X-A: " + std::string(9000, 'a') + "\r\n\r\n", {.header_bytes = 8192}),
      Errc::LimitExceeded, too_large);
  std::string hints;
  for (int i = 0; i < 1000; ++i) hints += "HTTP/1.1 103 Early Hints\r\n\r\n";
  EXPECT_FAILS(answered_with(hints + ok + "\r\n", {.header_bytes = 8192}), Errc::LimitExceeded,
               too_large);
  // Without an end: a head, a line between chunks, trailers.
  for (auto const& begin : {ok + "X-A: ", ok + "Transfer-Encoding: chunked\r\n\r\n1;x=",
                            ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-T: "}) {
    Origin const endless{[&](Connection& peer) {
      peer.receive_request();
      peer.send(begin);
      while (peer.send(std::string(1000, 'a'))) {
      }
    }};
    for (bool const whole : test::kModes) {
      auto const answer = ask(endless, {.header_bytes = 8192}, whole);
      ASSERT_FALSE(answer) << begin;
      EXPECT_EQ(answer.error().message, too_large) << begin;
    }
  }
  std::string fields;
  for (int i = 0; i < 1001; ++i) fields += "A: b\r\n";
  EXPECT_FAILS(answered_with(ok + fields + "\r\n"), Errc::LimitExceeded,
               "The head of the answer has more than 1000 fields.");
}

TEST_F(EgressLoopFaults, HasALimitForTheBody) {
  auto const too_large = "The answer is larger than the limit of 1 KiB.";
  std::string const body(1025, 'x');
  std::string const ok = "HTTP/1.1 200 OK\r\n";
  for (bool const whole : test::kModes) {
    EXPECT_FAILS(answered_with(Origin::ok(body), {.body_bytes = 1024}, whole), Errc::LimitExceeded,
                 too_large);
    EXPECT_FAILS(answered_with(ok + "\r\n" + body, {.body_bytes = 1024}, whole),
                 Errc::LimitExceeded, too_large);
    EXPECT_FAILS(
        answered_with(ok + "Transfer-Encoding: chunked\r\n\r\n401\r\n" + body + "\r\n0\r\n\r\n",
                      {.body_bytes = 1024}, whole),
        Errc::LimitExceeded, too_large);
    auto const enough = answered_with(Origin::ok(body), {.body_bytes = 1025}, whole);
    ASSERT_TRUE(enough) << enough.error().message;
    EXPECT_EQ(enough->body, body);
  }
}

TEST_F(EgressLoopFaults, SaysThatAnAnswerIsCompressedAgainstOurWish) {
  EXPECT_FAILS(answered_with(Origin::ok("x", "Content-Encoding: gzip\r\n")), Errc::UpstreamFailed,
               "The answer of 127.0.0.1 is compressed, though it was asked for as it is.");
}

TEST_F(EgressLoopFaults, AResetInTheMiddleOfTheBodyIsAFailure) {
  Origin const origin{[](Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\n\r\nhalf");
    peer.pause(50ms);
    peer.reset();
  }};
  EXPECT_FAILS(ask(origin), Errc::UpstreamFailed,
               "The connection to 127.0.0.1 broke before the answer was complete.");
}

TEST_F(EgressLoopFaults, SpeaksTlsWithWhomItShould) {
  options_.ca_file = authority_.file();
  Origin const origin{Origin::answering(Origin::ok("secret")), authority_.issue()};
  for (int i = 0; i < 2; ++i) {
    auto const answer = send(post(origin.url("/", "localhost"), "x"));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "secret");
    EXPECT_EQ(answer->stats.reused_connection, i > 0);
  }
  Origin const other{Origin::answering(Origin::ok("secret")),
                     authority_.issue({.names = "DNS:other.example"})};
  EXPECT_FAILS(send(get(other.url("/", "localhost"))), Errc::UpstreamFailed,
               "The certificate of localhost is not valid for the host name.");
  EXPECT_EQ(other.requests(), 0U);
}

TEST_F(EgressLoopFaults, TheEndOfATlsConnectionWithoutAGoodbyeIsNoEndOfABody) {
  options_.ca_file = authority_.file();
  Origin const origin{[](Connection& peer) {
                        peer.receive_request();
                        peer.send("HTTP/1.1 200 OK\r\n\r\nhalf");
                        ::shutdown(peer.socket(), SHUT_WR);
                        peer.wait_for_end();
                      },
                      authority_.issue()};
  EXPECT_FAILS(send(get(origin.url("/", "localhost"))), Errc::UpstreamFailed,
               "The answer of localhost ended before it was complete.");
}

// The proxy sees an address, and does not say which of several it took.
TEST_F(EgressLoopFaults, AsksTheOperatorsProxyForTheJudgedAddress) {
  test::ProxyLog log;
  Origin const proxy{test::connect_proxy(log)};
  options_.proxy = ProxyOptions{.url = test::parse_url(proxy.url("/", "proxy.example")),
                                .addresses = {*url::IpAddress::parse("127.0.0.1")}};
  Origin const origin{Origin::answering(Origin::ok("hello"))};
  auto const url = origin.url("/", "inner.example");
  auto const reuses = [&](std::vector<std::string> const& addresses) {
    auto const answer = send(get(url, addresses));
    EXPECT_TRUE(answer) << answer.error().message;
    return answer && answer->body == "hello" && answer->stats.reused_connection;
  };
  EXPECT_FALSE(reuses({"127.0.0.2", "127.0.0.3"}));
  EXPECT_TRUE(reuses({"127.0.0.2", "127.0.0.3"}));
  EXPECT_FALSE(reuses({"127.0.0.2"}));  // it may lead to the other one
  EXPECT_FALSE(reuses({"127.0.0.4"}));
  EXPECT_TRUE(reuses({"127.0.0.4", "127.0.0.5"}));
  ASSERT_EQ(log.heads().size(), 3U);
  EXPECT_THAT(log.heads()[2], testing::StartsWith("CONNECT 127.0.0.4:"));
}

TEST_F(EgressLoopFaults, SpeaksHttp1WithAServerThatKnowsMore) {
  if (!test::Nginx::is_installed()) SP_NOT_TESTED("install nginx-light");
  options_.ca_file = authority_.file();
  test::Nginx nginx{{.locations = "location /hello { return 200 '$server_protocol'; }",
                     .tls = authority_.issue()}};
  nginx.put_file("big", std::string(5'000'000, 'x'));
  for (auto const& url : {nginx.url("/hello"), nginx.tls_url("/hello")}) {
    auto const answer = send(get(url));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "HTTP/1.1");
  }
  for (bool const whole : test::kModes) {
    auto dispatch = get(nginx.tls_url("/big"));
    dispatch.whole = whole;
    auto const answer = send(std::move(dispatch));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body.size(), 5'000'000U);
    EXPECT_TRUE(answer->stats.reused_connection);
  }
}

}  // namespace
}  // namespace sallyport::egress
