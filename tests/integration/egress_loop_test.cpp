// Requests on the caller's own loop: what is sent, what comes back, and which connections serve
// again.
#include "tests/integration/egress_loop_fixture.hpp"

namespace sallyport::egress {
namespace {

using namespace std::chrono_literals;
using test::get;
using test::Origin;
using testing::HasSubstr;
using testing::StartsWith;
using Connection = Origin::Connection;

TEST_F(EgressLoopTest, SendsARequestAndReadsItsAnswer) {
  std::string request;
  Origin const origin{Origin::answering([&](std::string const& text) {
    request = text;
    return Origin::ok("hello", "X-A: 1\r\nConnection: keep-alive\r\n");
  })};
  auto dispatch = post(origin.url("/a?b=c"), "body");
  dispatch.headers.add("X-Mine", "yes");
  ExchangeStats stats;
  auto const answer = send(std::move(dispatch), &stats);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->head.status, 200);
  EXPECT_EQ(answer->head.reason, "OK");
  EXPECT_EQ(answer->head.version, "1.1");
  EXPECT_EQ(*answer->head.headers.find("x-a"), "1");
  EXPECT_EQ(answer->head.headers.find("connection"), nullptr);
  EXPECT_EQ(answer->body, "hello");
  EXPECT_THAT(request, StartsWith("POST /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:"));
  EXPECT_THAT(request, HasSubstr("X-Mine: yes\r\n"));
  EXPECT_THAT(request, HasSubstr("Accept-Encoding: identity\r\nContent-Length: 4\r\n\r\nbody"));
  EXPECT_EQ(stats.connected_address, "127.0.0.1");
  EXPECT_EQ(stats.bytes_sent, 4U);
  EXPECT_EQ(stats.bytes_received, 5U);
  EXPECT_GT(stats.connect.count(), 0);
  EXPECT_GE(stats.total, stats.first_byte);
}

TEST_F(EgressLoopTest, UsesAConnectionAgain) {
  Origin const origin{Origin::answering(Origin::ok("hello"))};
  for (bool const whole : test::kModes) {
    for (int i = 0; i < 3; ++i) {
      auto dispatch = post(origin.url(), "x");
      dispatch.whole = whole;
      auto const answer = send(std::move(dispatch));
      ASSERT_TRUE(answer) << answer.error().message;
      EXPECT_EQ(answer->body, "hello");
      EXPECT_EQ(answer->stats.reused_connection, !whole || i > 0);
    }
  }
  EXPECT_EQ(origin.connections(), 1U);
  EXPECT_EQ(origin.requests(), 6U);
}

TEST_F(EgressLoopTest, UsesAConnectionForTheJudgedAddressOnly) {
  Origin const first{Origin::answering(Origin::ok("first"))};
  Origin const second{Origin::answering(Origin::ok("second")), {}, "127.0.0.2", first.port()};
  auto const url = first.url("/", "moving.example");
  auto const before = send(get(url, {"127.0.0.1"}));
  ASSERT_TRUE(before) << before.error().message;
  EXPECT_EQ(before->body, "first");
  // The same name, which now leads elsewhere: the connection that is open must not be used.
  auto const after = send(get(url, {"127.0.0.2"}));
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->body, "second");
  EXPECT_FALSE(after->stats.reused_connection);
  EXPECT_EQ(after->stats.connected_address, "127.0.0.2");
  EXPECT_EQ(first.requests(), 1U);
  // And one of several is enough.
  auto const again = send(get(url, {"127.0.0.3", "127.0.0.1"}));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->body, "first");
  EXPECT_TRUE(again->stats.reused_connection);
}

TEST_F(EgressLoopTest, UsesAConnectionForItsOriginOnly) {
  Origin const origin{Origin::answering(Origin::ok("x"))};
  ASSERT_TRUE(send(get(origin.url("/", "a.example"))));
  ASSERT_TRUE(send(get(origin.url("/", "b.example"))));
  EXPECT_EQ(origin.connections(), 2U);
}

TEST_F(EgressLoopTest, NoticesThatTheServerHasClosedMeanwhile) {
  Origin const origin{Origin::answering_once(Origin::ok("hello"))};
  for (int i = 0; i < 3; ++i) {
    auto const answer = send(post(origin.url(), "x"));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_FALSE(answer->stats.reused_connection);
    std::this_thread::sleep_for(50ms);  // its end is on the way
  }
}

TEST_F(EgressLoopTest, DoesNotUseAConnectionThatSaysSomethingUnasked) {
  Origin const origin{[](Connection& peer) {
    while (!peer.receive_request().empty()) {
      peer.send(Origin::ok("hello"));
      peer.pause(20ms);
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
    }
  }};
  for (int i = 0; i < 3; ++i) {
    auto const answer = send(get(origin.url()));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "hello");
    std::this_thread::sleep_for(60ms);
  }
  EXPECT_EQ(origin.connections(), 3U);
}

// The request has gone out on a connection that served before, and the connection ends.
Origin::Script breaks_the_second_time(std::size_t& seen) {
  return [&seen](Connection& peer) {
    peer.receive_request();
    peer.send(Origin::ok("hello"));
    if (++seen > 1) return peer.wait_for_end();
    peer.receive_request();
  };
}

TEST_F(EgressLoopTest, SendsAgainWhatMayBeSentTwice) {
  std::size_t seen = 0;
  Origin const origin{breaks_the_second_time(seen)};
  ASSERT_TRUE(send(get(origin.url())));
  auto const answer = send(get(origin.url()));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "hello");
  EXPECT_FALSE(answer->stats.reused_connection);
  EXPECT_EQ(origin.connections(), 2U);
}

TEST_F(EgressLoopTest, DoesNotSendAgainWhatMayHaveBeenCarriedOut) {
  std::size_t seen = 0;
  Origin const origin{breaks_the_second_time(seen)};
  ASSERT_TRUE(send(get(origin.url())));
  EXPECT_FAILS(send(post(origin.url(), "x")), Errc::UpstreamFailed,
               "127.0.0.1 closed the connection before it answered. The request was not sent "
               "again, since it may have been carried out.");
  EXPECT_EQ(origin.connections(), 1U);
}

TEST_F(EgressLoopTest, KeepsAConnectionNoLongerThanTheServerSays) {
  Origin const origin{Origin::answering(Origin::ok("x", "Keep-Alive: timeout=1\r\n"))};
  ASSERT_TRUE(send(get(origin.url())));
  ASSERT_TRUE(send(get(origin.url())));
  EXPECT_EQ(origin.connections(), 2U);
}

TEST_F(EgressLoopTest, ClosesWhatNobodyUses) {
  options_.idle_connection = 1s;
  Origin const origin{Origin::answering(Origin::ok("x"))};
  ASSERT_TRUE(send(get(origin.url())));
  loop_.restart();
  loop_.run();  // until the connection has ended by itself
  ASSERT_TRUE(send(get(origin.url())));
  EXPECT_EQ(origin.connections(), 2U);
}

TEST_F(EgressLoopTest, KeepsAsManyConnectionsAsItMay) {
  options_.pooled_connections = 1;
  Origin const first{Origin::answering(Origin::ok("x"))};
  Origin const second{Origin::answering(Origin::ok("x"))};
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(send(get(first.url())));
    ASSERT_TRUE(send(get(second.url())));
  }
  EXPECT_EQ(first.connections(), 2U);
  EXPECT_EQ(second.connections(), 2U);
}

TEST_F(EgressLoopTest, ReadsEveryWayToEndABody) {
  struct Case {
    std::string answer;
    std::string body;
    bool kept;
  };
  Case const cases[] = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", true},
      {"HTTP/1.1 204 No Content\r\n\r\n", "", true},
      {"HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n", "", true},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
       "abcde", true},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n1\r\na\r\n0\r\n"
       "X-T: 1\r\n\r\n",
       "a", true},
      {"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
       "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
       "ok", true},
      {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", "ok", false},
      {"HTTP/1.0 200 OK\r\n\r\nto the end", "to the end", false},
      {"HTTP/1.1 200 OK\r\n\r\nto the end", "to the end", false},
  };
  for (auto const& each : cases) {
    for (bool const whole : test::kModes) {
      bool const closes = !each.kept;
      Origin const origin{[&](Connection& peer) {
        while (!peer.receive_request().empty() && peer.send(each.answer) && !closes) {
        }
      }};
      for (int i = 0; i < 2; ++i) {
        auto const answer = ask(origin, {}, whole);
        ASSERT_TRUE(answer) << each.answer << answer.error().message;
        EXPECT_EQ(answer->body, each.body) << each.answer;
        EXPECT_EQ(answer->head.headers.find("x-t"), nullptr);
      }
      EXPECT_EQ(origin.connections(), each.kept ? 1U : 2U) << each.answer;
    }
  }
}

TEST_F(EgressLoopTest, TheAnswerToHeadHasNoBody) {
  Origin const origin{Origin::answering("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n")};
  for (int i = 0; i < 2; ++i) {
    auto dispatch = get(origin.url());
    dispatch.method = "HEAD";
    auto const answer = send(std::move(dispatch));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(*answer->head.headers.find("content-length"), "500");
    EXPECT_EQ(answer->body, "");
  }
  EXPECT_EQ(origin.connections(), 1U);
}

TEST_F(EgressLoopTest, ReadsAHeadThatComesByteByByte) {
  Origin const origin{[](Connection& peer) {
    peer.receive_request();
    peer.trickle("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 1ms);
    peer.wait_for_end();
  }};
  auto const answer = ask(origin);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "ok");
}

TEST_F(EgressLoopTest, HoldsTheOriginBackWhileNobodyReads) {
  std::atomic<std::size_t> sent{0};
  Origin const origin{[&](Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
    std::string const piece(64 * 1024, 'x');
    while (sent < (64UL << 20) && peer.send(piece)) sent += piece.size();
  }};
  auto dispatch = get(origin.url());
  dispatch.whole = false;
  auto const done = run([](LoopConnector& out, Dispatch to) -> Task<void> {
    ExchangeStats stats;
    SP_CO_TRY(auto const exchange, co_await out.open(std::move(to), stats));
    Timer pause{co_await asio::this_coro::executor, 300ms};
    co_await pause.async_wait(use_tuple);
    SP_CO_TRY(auto const piece, co_await exchange->read());
    EXPECT_LE(piece.size(), 64U * 1024);
    co_await exchange->end();
    co_return Result<void>{};
  }(connector(), std::move(dispatch)));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_LT(sent, 32UL << 20);
}

TEST_F(EgressLoopTest, AnExchangeThatIsLeftTakesItsConnectionAlong) {
  Origin const origin{[](Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    peer.wait_for_end();
  }};
  for (int i = 0; i < 2; ++i) {
    auto dispatch = get(origin.url());
    dispatch.whole = false;
    auto const left = run([](LoopConnector& out, Dispatch to) -> Task<void> {
      ExchangeStats stats;
      SP_CO_TRY(auto const exchange, co_await out.open(std::move(to), stats));
      EXPECT_EQ(*co_await exchange->read(), "half");
      co_return Result<void>{};
    }(connector(), std::move(dispatch)));
    ASSERT_TRUE(left) << left.error().message;
  }
  EXPECT_EQ(origin.connections(), 2U);
}

TEST_F(EgressLoopTest, CanBeGivenUpAtAnyTime) {
  Origin const silent{Origin::silent()};
  Origin const halting{[](Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    peer.wait_for_end();
  }};
  for (auto const* const origin : {&silent, &halting}) {
    asio::cancellation_signal stop;
    std::optional<Result<test::Answer>> result;
    asio::co_spawn(loop_, capture(test::read_all(connector(), get(origin->url()))),
                   asio::bind_cancellation_slot(
                       stop.slot(), [&](std::exception_ptr, Result<test::Answer> answer) {
                         result = std::move(answer);
                       }));
    Timer later{loop_.get_executor(), 100ms};
    later.async_wait([&](auto) { stop.emit(asio::cancellation_type::terminal); });
    loop_.restart();
    while (!result) loop_.run_one();
    EXPECT_FAILS(*result, Errc::Cancelled, "The request was cancelled.");
  }
}

TEST_F(EgressLoopTest, RefusesWhatItCannotSend) {
  Origin const origin{Origin::answering(Origin::ok("x"))};
  auto split = get(origin.url());
  split.headers.add("X-A", "1\r\nX-B: 2");
  EXPECT_FAILS(send(std::move(split)), Errc::InvalidInput, "A header of the request is not valid.");
  auto own = get(origin.url());
  own.headers.add("Host", "other.example");
  EXPECT_FAILS(send(std::move(own)), Errc::InvalidInput,
               "The header Host is set by the gateway; leave it out.");
  auto tunnel = get(origin.url());
  tunnel.method = "CONNECT";
  EXPECT_FAILS(send(std::move(tunnel)), Errc::InvalidInput,
               "The method is not one that can be sent.");
  options_.max_exchanges = 0;
  connector_.reset();
  EXPECT_FAILS(send(get(origin.url())), Errc::LimitExceeded,
               "Too many outgoing requests are under way (the limit is 0).");
  EXPECT_EQ(origin.connections(), 0U);
}

}  // namespace
}  // namespace sallyport::egress
