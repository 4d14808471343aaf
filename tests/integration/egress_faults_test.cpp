// Origins that are late, broken, huge or gone.
#include "tests/support/egress.hpp"
#include "tests/support/origin.hpp"

#include <gmock/gmock.h>

#include <filesystem>

namespace sallyport::egress {
namespace {

using namespace std::chrono_literals;
using test::get;
using test::make_connector;
using test::Origin;
using test::send;
using Connection = Origin::Connection;

constexpr auto kHost = "127.0.0.1";

Result<test::Answer> ask(Origin const& origin, ExchangeLimits const& limits = {}, bool whole = true,
                         std::chrono::milliseconds time = 20s) {
  auto const connector = make_connector();
  auto dispatch = get(origin.url());
  dispatch.limits = limits;
  dispatch.whole = whole;
  dispatch.deadline = Deadline::in(time);
  return send(*connector, std::move(dispatch));
}

Origin::Script sends(std::string head, std::string again = {}) {
  return [head = std::move(head), again = std::move(again)](Connection& peer) {
    if (peer.receive_request().empty() || !peer.send(head) || again.empty()) return;
    while (peer.send(again)) {
    }
  };
}

auto const kEndless = std::string{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"};

TEST(EgressFaults, SaysThatAConnectionWasRefused) {
  std::string url;
  {
    Origin const gone{Origin::silent()};
    url = gone.url();
  }
  auto const connector = make_connector();
  EXPECT_FAILS(send(*connector, get(url)), Errc::UpstreamFailed,
               "Connecting to 127.0.0.1 failed: connection refused.");
}

TEST(EgressFaults, SaysWhichTimeRanOut) {
  Origin const silent{Origin::silent()};
  Origin const stalling{[](Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
    peer.wait_for_end();
  }};
  for (bool const whole : test::kModes) {
    EXPECT_FAILS(ask(silent, {.first_byte = 150ms}, whole), Errc::DeadlineExceeded,
                 "127.0.0.1 did not begin to answer within 150 ms.");
    EXPECT_FAILS(ask(stalling, {.stall = 150ms}, whole), Errc::DeadlineExceeded,
                 "The answer of 127.0.0.1 stopped: nothing came for 150 ms.");
    EXPECT_FAILS(ask(silent, {}, whole, 150ms), Errc::DeadlineExceeded,
                 "The time for the request ran out before an answer came from 127.0.0.1.");
    EXPECT_FAILS(ask(stalling, {}, whole, 150ms), Errc::DeadlineExceeded,
                 "The time for the request ran out in the middle of the answer of 127.0.0.1.");
  }
}

TEST(EgressFaults, AnEventStreamMayBeSilentWhileItIsReadAsItComes) {
  Origin const origin{[](Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
    std::this_thread::sleep_for(400ms);
    peer.send("data: late\n\n");
  }};
  EXPECT_TRUE(ask(origin, {.stall = 150ms}, false));
  EXPECT_FAILS(ask(origin, {.stall = 150ms}, true), Errc::DeadlineExceeded,
               "The answer of 127.0.0.1 stopped: nothing came for 150 ms.");
}

TEST(EgressFaults, ATrickleIsNoStallButEndsAtTheDeadline) {
  Origin const origin{[](Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    peer.trickle(std::string(1000, 'x'), 20ms);
  }};
  auto const start = Clock::now();
  auto const answer = ask(origin, {.stall = 200ms}, true, 600ms);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::DeadlineExceeded);
  EXPECT_GE(Clock::now() - start, 590ms);
  EXPECT_LT(Clock::now() - start, 1500ms);
}

TEST(EgressFaults, ATlsHandshakeThatNeverEndsCountsAsConnecting) {
  Origin const origin{Origin::silent()};
  auto const connector = make_connector();
  auto dispatch = get("https://127.0.0.1:" + std::to_string(origin.port()));
  dispatch.limits.connect = 200ms;
  EXPECT_FAILS(send(*connector, std::move(dispatch)), Errc::DeadlineExceeded,
               "Connecting to 127.0.0.1 failed: no answer within 200 ms.");
}

TEST(EgressFaults, SaysHowAnAnswerBroke) {
  struct Case {
    Origin::Script script;
    std::string message;
  };
  auto const host = std::string{kHost};
  Case const cases[] = {
      {sends("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"),
       "The answer of " + host + " ended before its announced length."},
      {sends(kEndless + "5\r\nab"), "The answer of " + host + " ended before it was complete."},
      {sends(kEndless + "zz\r\nabc\r\n"), "The answer of " + host + " is not valid HTTP."},
      {sends("hello, this is no HTTP\r\n\r\n"), "The answer of " + host + " is not valid HTTP."},
      {sends(""), host + " closed the connection without an answer."},
      {sends("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\nno gzip"),
       "The answer of " + host + " is compressed in a way that cannot be undone."},
      {[](Connection& peer) {
         peer.receive_request();
         peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
         peer.pause(50ms);
         peer.reset();
       },
       "The connection to " + host + " broke before the answer was complete."},
  };
  for (auto const& one : cases) {
    Origin const origin{one.script};
    for (bool const whole : test::kModes) {
      EXPECT_FAILS(ask(origin, {}, whole), Errc::UpstreamFailed, one.message);
    }
  }
}

TEST(EgressFaults, BytesBehindTheAnnouncedLengthAreNotPartOfTheAnswer) {
  Origin const origin{
      Origin::answering("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbodyHTTP/1.1 "
                        "200 OK\r\nContent-Length: 4\r\n\r\nevil")};
  auto const connector = make_connector();
  for (int round = 0; round < 5; ++round) {
    auto const answer = send(*connector, get(origin.url()));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "body");
  }
  EXPECT_EQ(origin.connections(), 5U);  // such a connection is not used again
}

TEST(EgressFaults, CutsAnAnswerAtItsLimit) {
  auto const kilobyte = "400\r\n" + std::string(1024, 'x') + "\r\n";
  Origin const endless{sends(kEndless, kilobyte)};
  Origin const announced{sends("HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n")};
  Origin const immense{sends("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n")};
  Origin const headers{sends("HTTP/1.1 200 OK\r\n", "X-More: " + std::string(1000, 'x') + "\r\n")};
  Origin const fields{sends("HTTP/1.1 200 OK\r\n", "X: y\r\n")};
  Origin const hints{sends("HTTP/1.1 103 Early\r\n\r\n", "HTTP/1.1 103 Early\r\n\r\n")};
  for (bool const whole : test::kModes) {
    ExchangeLimits const limits{.header_bytes = 65536, .body_bytes = 1048576};
    EXPECT_FAILS(ask(endless, limits, whole), Errc::LimitExceeded,
                 "The answer is larger than the limit of 1 MiB.");
    EXPECT_FAILS(ask(announced, limits, whole), Errc::LimitExceeded,
                 "The answer is larger than the limit of 1 MiB.");
    EXPECT_FALSE(ask(immense, limits, whole));
    EXPECT_FAILS(ask(headers, limits, whole), Errc::LimitExceeded,
                 "The head of the answer is larger than the limit of 64 KiB.");
    EXPECT_FAILS(ask(fields, limits, whole), Errc::LimitExceeded,
                 "The head of the answer has more than 1000 fields.");
    EXPECT_FAILS(ask(hints, limits, whole), Errc::LimitExceeded,
                 "The head of the answer is larger than the limit of 64 KiB.");
  }
}

TEST(EgressFaults, AnAnswerAsLargeAsTheLimitPasses) {
  Origin const origin{Origin::answering(Origin::ok(std::string(65536, 'x')))};
  for (bool const whole : test::kModes) {
    auto const answer = ask(origin, {.body_bytes = 65536}, whole);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body.size(), 65536U);
  }
}

TEST(EgressFaults, RefusesMoreExchangesThanAllowed) {
  Origin const origin{Origin::silent()};
  auto const connector = make_connector({.max_exchanges = 1});
  asio::cancellation_signal stop;
  auto const task = [&]() -> Task<std::string> {
    ExchangeStats stats;
    auto first = get(origin.url());
    first.whole = false;
    auto const executor = co_await asio::this_coro::executor;
    asio::co_spawn(executor, test::read_all(*connector, std::move(first)),
                   asio::bind_cancellation_slot(stop.slot(), [](auto, auto const&) {}));
    co_await asio::post(executor, use_async);
    auto second = co_await connector->open(get(origin.url()), stats);
    stop.emit(asio::cancellation_type::terminal);
    if (second) co_return "";
    co_return second.error().message;
  };
  auto const message = test::run(task());
  ASSERT_TRUE(message);
  EXPECT_EQ(*message, "Too many outgoing requests are under way (the limit is 1).");
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] auto const& each : std::filesystem::directory_iterator{"/proc/self/fd"}) {
    ++count;
  }
  return count;
}

TEST(EgressFaults, LosesNoDescriptor) {
  Origin const origin{[turn = std::make_shared<std::atomic<int>>(0)](Connection& peer) {
    while (!peer.receive_request().empty()) {
      switch ((*turn)++ % 5) {
        case 0: peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"); return;
        case 1: peer.reset(); return;
        case 2: peer.send("nonsense"); return;
        case 3: peer.send(Origin::ok("fine")); break;
        default: peer.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"); return;
      }
    }
  }};
  auto const before = open_descriptors();
  {
    auto const connector = make_connector();
    std::size_t good = 0;
    for (int i = 0; i < 2000; ++i) good += send(*connector, get(origin.url())) ? 1U : 0U;
    EXPECT_GT(good, 100U);
    EXPECT_LT(open_descriptors(), before + 20);
  }
  // The origin's side of the last connections may take a moment.
  for (int left = 100; left > 0 && open_descriptors() > before; --left) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_LE(open_descriptors(), before);
}

}  // namespace
}  // namespace sallyport::egress
