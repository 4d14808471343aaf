// WebSockets through the real connector, against a server that keeps the rules and one that breaks
// each of them.
#include "src/base/deadline.hpp"

#include "tests/integration/egress_socket_fixture.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <future>

namespace sallyport::egress {
namespace {

using namespace std::chrono_literals;
using namespace sallyport::test;
using testing::HasSubstr;
using testing::StartsWith;

class EgressSocket : public SocketTest {};

TEST_F(EgressSocket, TalksAndSaysGoodbye) {
  std::string handshake;
  Origin const origin{[&](Origin::Connection& peer) {
    SocketPeer socket{peer};
    handshake = socket.accept();
    socket.echo();
  }};
  auto dispatch = to(socket_url(origin, "chat.example"));
  dispatch.headers.add("X-Mine", "1");

  auto const used = with_socket(std::move(dispatch), [&](Socket& socket) -> Task<void> {
    SP_CO_CHECK(co_await socket.send({true, "grüße"}));
    SP_CO_CHECK(co_await socket.send({false, std::string{"\0\xFF", 2}}));
    SP_CO_CHECK(co_await socket.send({true, ""}));
    SP_CO_CHECK(co_await socket.send({false, std::string(300'000, 'x')}));
    for (int i = 0; i < 4; ++i) {
      SP_CO_TRY(auto const message, co_await socket.next());
      came_.push_back((message->text ? "t:" : "b:") + message->data);
    }
    SP_CO_CHECK(co_await socket.close(3001, "done"));
    co_return co_await read_all(socket);
  });

  ASSERT_TRUE(used) << used.error().message;
  EXPECT_THAT(handshake, StartsWith("GET /chat?a=1 HTTP/1.1\r\nHost: chat.example:" +
                                    std::to_string(origin.port())));
  EXPECT_THAT(handshake, HasSubstr("X-Mine: 1\r\n"));
  ASSERT_EQ(came_.size(), 4);
  EXPECT_EQ(came_[0], "t:grüße");
  EXPECT_EQ(came_[1], std::string("b:\0\xFF", 4));
  EXPECT_EQ(came_[2], "t:");
  EXPECT_EQ(came_[3].size(), 300'002);
  EXPECT_EQ(closing_.code, 3001);
  EXPECT_EQ(closing_.reason, "done");
  EXPECT_EQ(stats_.bytes_sent, 300'009);
  EXPECT_EQ(stats_.bytes_received, 300'009);
  EXPECT_EQ(stats_.connected_address, "127.0.0.1");
}

TEST_F(EgressSocket, PutsFragmentsTogetherAndAnswersPingsBetweenThem) {
  std::string pong;
  Origin const origin{[&](Origin::Connection& peer) {
    SocketPeer socket{peer};
    socket.accept();
    socket.send(kTextFrame, "one \xE2", Part::More);  // in the middle of a character
    socket.send(kPingFrame, "are you there?");
    pong = socket.receive(kPongFrame)->data;
    socket.send(kContinuation, "\x82\xAC", Part::More);
    socket.send(kContinuation, "", Part::Last);
    socket.close(4000, "enough");
    socket.receive();
  }};

  ASSERT_TRUE(with_socket(origin, reading()));

  EXPECT_EQ(came_, std::vector<std::string>{"t:one €"});
  EXPECT_EQ(pong, "are you there?");
  EXPECT_EQ(closing_.code, 4000);
  EXPECT_EQ(closing_.reason, "enough");
}

TEST_F(EgressSocket, AnswersPingsWhileNobodyReads) {
  std::promise<void> answered;
  Origin const origin{[&](Origin::Connection& peer) {
    SocketPeer socket{peer};
    socket.accept();
    socket.send(kPingFrame, "x");
    if (socket.receive(kPongFrame)) answered.set_value();
    socket.echo();
  }};

  auto const used = with_socket(origin, [&](Socket&) -> Task<void> {
    Timer timer{co_await asio::this_coro::executor};
    auto future = answered.get_future();
    for (int left = 500; left > 0 && future.wait_for(0s) != std::future_status::ready; --left) {
      timer.expires_after(10ms);
      co_await timer.async_wait(use_async);
    }
    co_return future.wait_for(0s) == std::future_status::ready
        ? Result<void>{}
        : Result<void>{fail(Errc::Internal, "no pong")};
  });

  EXPECT_TRUE(used);
}

TEST_F(EgressSocket, SaysHowTheServerClosed) {
  for (int const code : {1000, 1001, 1011, 3333}) {
    Origin const origin{[&](Origin::Connection& peer) {
      SocketPeer socket{peer};
      socket.accept();
      socket.close(code);
      socket.receive();
    }};
    EXPECT_TRUE(with_socket(origin, reading()));
    EXPECT_EQ(closing_.code, code);
  }
  Origin const without_code{[](Origin::Connection& peer) {
    SocketPeer socket{peer};
    socket.accept();
    socket.send(kCloseFrame, "");
    socket.receive();
  }};
  EXPECT_TRUE(with_socket(without_code, reading()));
  EXPECT_EQ(closing_.code, 1005);
}

TEST_F(EgressSocket, ClosesWithoutACodeWhereNoneIsGiven) {
  std::optional<SocketFrame> goodbye;
  Origin const origin{[&](Origin::Connection& peer) {
    SocketPeer socket{peer};
    socket.accept();
    goodbye = socket.receive(kCloseFrame);
    socket.send(kCloseFrame, "");
  }};
  EXPECT_TRUE(with_socket(origin, [&](Socket& socket) -> Task<void> {
    SP_CO_CHECK(co_await socket.close({}, ""));
    co_return co_await read_all(socket);
  }));
  EXPECT_EQ(goodbye->data, "");
  EXPECT_EQ(closing_.code, 1005);
}

TEST_F(EgressSocket, SendsNothingAfterItsGoodbye) {
  Origin const origin{[](Origin::Connection& peer) {
    SocketPeer socket{peer};
    socket.accept();
    socket.echo();
  }};
  EXPECT_FAILS(with_socket(origin,
                           [&](Socket& socket) -> Task<void> {
                             SP_CO_CHECK(co_await socket.close(1000, ""));
                             SP_CO_CHECK(co_await socket.close(1000, "again"));
                             co_return co_await socket.send({true, "late"});
                           }),
               Errc::UpstreamFailed, "The WebSocket is closed.");
}

TEST_F(EgressSocket, DoesNotWaitForeverForAGoodbye) {
  Origin const origin{[](Origin::Connection& peer) {
    SocketPeer socket{peer};
    socket.accept();
    while (socket.receive()) {
    }
  }};
  auto const begin = Clock::now();
  EXPECT_TRUE(with_socket(origin, [&](Socket& socket) -> Task<void> {
    SP_CO_CHECK(co_await socket.close(1000, ""));
    co_return co_await read_all(socket);
  }));
  EXPECT_EQ(closing_.code, 1006);
  EXPECT_GE(Clock::now() - begin, 4s);
  EXPECT_LT(Clock::now() - begin, 8s);
}

TEST_F(EgressSocket, RefusesAMessageThatIsTooLarge) {
  for (bool const fragmented : {false, true}) {
    std::promise<int> told;
    Origin const origin{[&](Origin::Connection& peer) {
      SocketPeer socket{peer};
      socket.accept();
      if (fragmented) {
        socket.send(kBinaryFrame, std::string(600, 'x'), Part::More);
        socket.send(kContinuation, std::string(600, 'x'), Part::More);
      } else {
        socket.send(kBinaryFrame, std::string(1001, 'x'));
      }
      auto const goodbye = socket.receive(kCloseFrame);
      told.set_value(goodbye ? goodbye->code() : 0);
    }};
    auto dispatch = to(socket_url(origin));
    dispatch.limits.message_bytes = 1000;
    EXPECT_FAILS(with_socket(std::move(dispatch), reading()), Errc::LimitExceeded,
                 "The server sent a message of more than 1000 bytes.");
    EXPECT_EQ(told.get_future().get(), 1009);
    EXPECT_EQ(closing_.code, 1009);
  }
}

TEST_F(EgressSocket, RefusesTooManyMessages) {
  std::promise<int> told;
  Origin const origin{[&](Origin::Connection& peer) {
    SocketPeer socket{peer};
    socket.accept();
    for (int i = 0; i < 20; ++i) socket.send(kTextFrame, std::string(100, 'x'));
    auto const goodbye = socket.receive(kCloseFrame);
    told.set_value(goodbye ? goodbye->code() : 0);
  }};
  auto dispatch = to(socket_url(origin));
  dispatch.limits.received_bytes = 1000;
  EXPECT_FAILS(with_socket(std::move(dispatch), reading()), Errc::LimitExceeded,
               "The server sent more than 1000 bytes in all.");
  EXPECT_EQ(came_.size(), 10);
  EXPECT_EQ(told.get_future().get(), 1009);
}

TEST_F(EgressSocket, BreaksWithAServerThatBreaksTheRules) {
  struct Case {
    std::function<void(SocketPeer&)> misbehave;
    int told;
    std::string reason;
  };
  auto const raw = [](int kind, std::string const& data) {
    return [=](SocketPeer& socket) { socket.send(kind, data); };
  };
  Case const cases[] = {
      {raw(kTextFrame, "\xC3("), 1007, "The server sent a text that is not UTF-8."},
      {raw(kContinuation, "x"), 1002, "The server broke the rules of the protocol."},
      {raw(3, "x"), 1002, "The server broke the rules of the protocol."},
      {raw(kPingFrame, std::string(126, 'x')), 1002, "The server broke the rules of the protocol."},
      {raw(kCloseFrame, "x"), 1002, "The server broke the rules of the protocol."},
      {raw(kTextFrame | 0x40, "x"), 1002, "The server broke the rules of the protocol."},
  };
  for (auto const& [misbehave, expected, reason] : cases) {
    std::promise<int> told;
    Origin const origin{[&](Origin::Connection& peer) {
      SocketPeer socket{peer};
      socket.accept();
      misbehave(socket);
      auto const goodbye = socket.receive(kCloseFrame);
      told.set_value(goodbye ? goodbye->code() : 0);
    }};
    EXPECT_TRUE(with_socket(origin, reading()));
    EXPECT_EQ(closing_.code, 1006) << reason;
    EXPECT_EQ(closing_.reason, reason);
    EXPECT_EQ(told.get_future().get(), expected) << reason;
  }
}

TEST_F(EgressSocket, NoticesAConnectionThatEndsWithoutGoodbye) {
  for (bool const reset : {false, true}) {
    Origin const origin{[&](Origin::Connection& peer) {
      SocketPeer socket{peer};
      socket.accept();
      socket.send(kTextFrame, "first");
      peer.send("\x81\x7E");  // the beginning of a frame
      if (reset) peer.reset();
    }};
    EXPECT_TRUE(with_socket(origin, reading()));
    EXPECT_EQ(closing_.code, 1006);
    EXPECT_NE(closing_.reason, "");
  }
}

TEST_F(EgressSocket, PingsASilentServerAndBreaksWithOneThatDoesNotAnswer) {
  std::atomic<int> pings{0};
  for (bool const answers : {true, false}) {
    pings = 0;
    Origin const origin{[&](Origin::Connection& peer) {
      SocketPeer socket{peer};
      socket.accept();
      while (auto const frame = socket.receive()) {
        if (frame->kind != kPingFrame) continue;
        ++pings;
        if (answers) socket.send(kPongFrame, frame->data);
        if (answers && pings == 5) socket.close(1000);
      }
    }};
    auto dispatch = to(socket_url(origin));
    dispatch.limits.keep_alive = 60ms;
    auto const begin = Clock::now();

    EXPECT_TRUE(with_socket(std::move(dispatch), reading()));

    EXPECT_EQ(closing_.code, answers ? 1000 : 1006) << closing_.reason;
    EXPECT_EQ(pings, answers ? 5 : 1);
    EXPECT_GE(Clock::now() - begin, 110ms);
  }
}

TEST_F(EgressSocket, HoldsTheServerBackWhileNobodyReads) {
  std::atomic<std::size_t> sent{0};
  Origin const origin{[&](Origin::Connection& peer) {
    SocketPeer socket{peer};
    socket.accept();
    std::string const megabyte(1'000'000, 'x');
    while (sent < 200 && socket.send(kBinaryFrame, megabyte)) ++sent;
    socket.close(1000);
    socket.receive();
  }};
  std::size_t before = 0;
  std::size_t received = 0;
  auto dispatch = to(socket_url(origin));
  dispatch.limits.keep_alive = 100ms;  // silence that is our own doing

  auto const used = with_socket(std::move(dispatch), [&](Socket& socket) -> Task<void> {
    Timer timer{co_await asio::this_coro::executor, 1s};
    co_await timer.async_wait(use_async);
    before = sent;
    while (true) {
      SP_CO_TRY(auto const message, co_await socket.next());
      if (!message) co_return Result<void>{};
      received += message->data.size();
    }
  });

  EXPECT_TRUE(used);
  EXPECT_LT(before, 50);
  EXPECT_EQ(received, 200'000'000);
  EXPECT_EQ(closing_.code, 1000) << closing_.reason;
}

TEST_F(EgressSocket, IsHeldBackByASlowServer) {
  Origin const origin{[](Origin::Connection& peer) {
    SocketPeer{peer}.accept();
    peer.pause(10s);
  }};
  auto const sent = with_socket(origin, [&](Socket& socket) -> Task<void> {
    return with_deadline(Deadline::in(300ms), socket.send({false, std::string(50'000'000, 'x')}));
  });
  EXPECT_FAILS(sent, Errc::DeadlineExceeded, "The request took too long.");
  EXPECT_EQ(closing_.code, 1006);
}

TEST_F(EgressSocket, GivesTheAnswerOfAServerThatDoesNotAgree) {
  std::pair<std::string, int> const cases[] = {
      {"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno", 403},
      {"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n", 302},
      {"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n", 401},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200},
  };
  for (auto const& [answer, status] : cases) {
    Origin const origin{Origin::answering_once(answer)};
    EXPECT_FAILS(with_socket(origin, reading()), Errc::NotFound, "It did not agree.");
    EXPECT_EQ(status_, status);
  }
}

TEST_F(EgressSocket, SaysWhatIsWrongWithAHandshake) {
  std::string const upgrade =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
  std::pair<std::string, std::string> const cases[] = {
      {upgrade + "Sec-WebSocket-Accept: bm90IHRoZSBrZXkgdGhhdCB3YXMgc2VudA==\r\n\r\n",
       "The answer of 127.0.0.1 is not one to a WebSocket handshake."},
      {"SSH-2.0-OpenSSH_9.2\r\n\r\n",
       "The answer of 127.0.0.1 is not one to a WebSocket handshake."},
      {"HTTP/1.1 101 Switching Protocols\r\nX: " + std::string(100'000, 'x'),
       "The answer of 127.0.0.1 is not one to a WebSocket handshake."},
      {"", "127.0.0.1 closed the connection without an answer."},
  };
  for (auto const& [answer, message] : cases) {
    Origin const origin{Origin::answering_once(answer)};
    EXPECT_FAILS(with_socket(origin, reading()), Errc::UpstreamFailed, message);
  }
}

TEST_F(EgressSocket, GivesUpOnAServerThatNeverAnswers) {
  Origin const origin{Origin::silent()};
  auto dispatch = to(socket_url(origin));
  dispatch.deadline = Deadline::in(200ms);
  auto const begin = Clock::now();
  EXPECT_FAILS(with_socket(std::move(dispatch), reading()), Errc::DeadlineExceeded,
               "The time for the request ran out before an answer came from 127.0.0.1.");
  EXPECT_LT(Clock::now() - begin, 5s);

  // Nor where TLS never begins.
  auto secure = to("wss" + socket_url(origin).substr(2));
  secure.limits.connect = 200ms;
  EXPECT_FAILS(with_socket(std::move(secure), reading()), Errc::DeadlineExceeded,
               "Connecting to 127.0.0.1 failed: no answer within 200 ms.");
}

TEST_F(EgressSocket, TriesTheAddressesInTurn) {
  Origin const origin{[](Origin::Connection& peer) {
                        SocketPeer socket{peer};
                        socket.accept();
                        socket.close(1000);
                        socket.receive();
                      },
                      {},
                      "127.0.0.2"};
  EXPECT_TRUE(
      with_socket(to(socket_url(origin, "a.example"), {"127.0.0.1", "127.0.0.2"}), reading()));
  EXPECT_EQ(stats_.connected_address, "127.0.0.2");
  EXPECT_FAILS(with_socket(to(socket_url(origin, "a.example"), {"127.0.0.3"}), reading()),
               Errc::UpstreamFailed, "Connecting to a.example failed: connection refused.");
}

TEST_F(EgressSocket, AgreesOnASubprotocolThatItOffered) {
  auto const meet = [&](std::string const& answered, std::vector<std::string> offered) {
    Origin const origin{[&](Origin::Connection& peer) {
      SocketPeer socket{peer};
      socket.accept(answered.empty() ? "" : "Sec-WebSocket-Protocol: " + answered + "\r\n");
      socket.close(1000);
      socket.receive();
    }};
    auto dispatch = to(socket_url(origin));
    dispatch.protocols = std::move(offered);
    return with_socket(std::move(dispatch), [&](Socket& socket) -> Task<void> {
      came_.push_back(socket.protocol());
      return read_all(socket);
    });
  };
  EXPECT_TRUE(meet("b", {"a", "b"}));
  EXPECT_EQ(came_, std::vector<std::string>{"b"});
  EXPECT_TRUE(meet("", {}));
  EXPECT_FAILS(meet("c", {"a", "b"}), Errc::UpstreamFailed,
               "The server wants a subprotocol that was not offered.");
  EXPECT_FAILS(meet("c", {}), Errc::UpstreamFailed,
               "The server wants a subprotocol that was not offered.");
  EXPECT_FAILS(meet("", {"a"}), Errc::UpstreamFailed,
               "The server accepts none of the subprotocols of the WebSocket.");
}

TEST_F(EgressSocket, IsEndedByItsOwner) {
  std::promise<void> ended;
  Origin const origin{[&](Origin::Connection& peer) {
    SocketPeer socket{peer};
    socket.accept();
    while (socket.receive()) {
    }
    ended.set_value();
  }};
  EXPECT_TRUE(with_socket(origin, [](Socket&) -> Task<void> { co_return Result<void>{}; }));
  EXPECT_EQ(ended.get_future().wait_for(5s), std::future_status::ready);
}

TEST_F(EgressSocket, CanBeCancelledAtEveryStep) {
  Origin const silent{Origin::silent()};
  auto const read = reading();
  auto const opened =
      run(open_and_use(to(socket_url(silent)), read), Interrupt::AfterFirstSuspension);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Errc::Cancelled);

  Origin const origin{[](Origin::Connection& peer) {
    SocketPeer socket{peer};
    socket.accept();
    socket.echo();
  }};
  auto const waited = with_socket(origin, [&](Socket& socket) -> Task<void> {
    auto first = co_await with_deadline(Deadline::in(50ms), socket.next());
    if (first) co_return fail(Errc::Internal, "Something came.");
    SP_CO_CHECK(co_await socket.send({true, "still there"}));
    SP_CO_TRY(auto const message, co_await socket.next());
    came_.push_back(message->data);
    co_return Result<void>{};
  });
  EXPECT_TRUE(waited) << waited.error().message;
  EXPECT_EQ(came_, std::vector<std::string>{"still there"});
}

}  // namespace
}  // namespace sallyport::egress
