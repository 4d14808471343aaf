// Requests whose body is sent while it is still being made: framing, back-pressure, answers that
// come early, and either side that goes first.
#include "tests/support/egress.hpp"
#include "tests/support/nginx.hpp"
#include "tests/support/not_tested.hpp"
#include "tests/support/origin.hpp"
#include "tests/support/resident.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

namespace sallyport::egress {
namespace {

using namespace std::chrono_literals;
using asio::experimental::awaitable_operators::operator&&;
using test::get;
using test::make_connector;
using test::Origin;
using test::resident_kilobytes;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kUploadUnit = 1UL << 20;

// The bytes of one connection, as they come.
class Wire {
 public:
  explicit Wire(Origin::Connection& peer) : peer_{peer} {}

  std::string until(std::string_view end) {
    std::size_t at = 0;
    while ((at = bytes_.find(end)) == std::string::npos) {
      if (!receive()) return {};
    }
    return take(at + end.size());
  }
  std::string exactly(std::size_t count) {
    while (bytes_.size() < count) {
      if (!receive()) return {};
    }
    return take(count);
  }
  // Empty after the last one, or when the client is gone; `complete` tells which.
  std::string chunk() {
    auto const size = until("\r\n");
    if (size.empty()) return {};
    auto const count = std::stoul(size, nullptr, 16);
    auto piece = exactly(count);
    complete = exactly(2) == "\r\n" && count == 0;
    return piece;
  }
  std::string chunked_body() {
    std::string all;
    for (std::string piece; !(piece = chunk()).empty();) all += piece;
    return all;
  }

  bool complete{false};

 private:
  bool receive() {
    char piece[65536];
    auto const count = ::recv(peer_.socket(), piece, sizeof piece, 0);
    if (count <= 0) return false;
    bytes_.append(piece, static_cast<std::size_t>(count));
    return true;
  }
  std::string take(std::size_t count) {
    auto taken = bytes_.substr(0, count);
    bytes_.erase(0, count);
    return taken;
  }

  Origin::Connection& peer_;
  std::string bytes_;
};

Dispatch put(std::string const& url, std::shared_ptr<BodyPipe> upload,
             std::string const& method = "PUT") {
  auto dispatch = get(url);
  dispatch.method = method;
  dispatch.upload = std::move(upload);
  dispatch.whole = false;
  return dispatch;
}

Task<void> write_all(BodyWriter writer, std::vector<std::string> pieces,
                     std::chrono::milliseconds between = 0ms) {
  Timer timer{co_await asio::this_coro::executor};
  for (auto& piece : pieces) {
    SP_CO_CHECK(co_await writer.write(std::move(piece)));
    if (between == 0ms) continue;
    timer.expires_after(between);
    co_await timer.async_wait(use_async);
  }
  co_return writer.finish();
}

struct Exchanged {
  Result<test::Answer> answer;
  Result<void> written;
  ExchangeStats stats;
};

// Sends and writes at the same time, to the end of both.
Exchanged exchange(Connector& connector, Dispatch dispatch, Task<void> writing) {
  Exchanged done{fail(Errc::Internal, "The exchange did not end."), Result<void>{}, {}};
  auto const both = [&]() -> Task<void> {
    auto [answer, written] =
        co_await (capture(test::read_all(connector, std::move(dispatch), &done.stats)) &&
                  capture(std::move(writing)));
    done.answer = std::move(answer);
    done.written = std::move(written);
    co_return Result<void>{};
  };
  EXPECT_TRUE(test::run(both()));
  return done;
}

// An origin that ends its connection says so: the next exchange must not begin on it.
constexpr auto const* kClosing = "Connection: close\r\n";

TEST(EgressUpload, GoesInChunksWhereItsSizeIsNotKnown) {
  std::string head;
  std::string body;
  Origin const origin{[&](Origin::Connection& peer) {
    Wire wire{peer};
    head = wire.until("\r\n\r\n");
    body = wire.chunked_body();
    peer.send(Origin::ok(wire.complete ? "complete" : "cut", kClosing));
  }};
  auto const connector = make_connector();
  for (bool const whole : test::kModes) {
    auto [writer, pipe] = make_body_pipe();
    auto dispatch = put(origin.url("/x"), pipe, "POST");
    dispatch.whole = whole;
    auto const done = exchange(*connector, std::move(dispatch),
                               write_all(std::move(writer), {"one ", "two ", "three"}, 5ms));

    ASSERT_TRUE(done.answer) << done.answer.error().message;
    EXPECT_TRUE(done.written);
    EXPECT_EQ(done.answer->body, "complete");
    EXPECT_THAT(head, testing::StartsWith("POST /x HTTP/1.1\r\n"));
    EXPECT_THAT(head, HasSubstr("Transfer-Encoding: chunked\r\n"));
    EXPECT_THAT(head, Not(HasSubstr("Content-Length")));
    EXPECT_THAT(head, Not(HasSubstr("Expect")));
    EXPECT_EQ(body, "one two three");
    EXPECT_EQ(done.stats.bytes_sent, 13U);
  }
}

TEST(EgressUpload, SaysItsSizeWhereItIsKnown) {
  std::string head;
  std::string body;
  Origin const origin{[&](Origin::Connection& peer) {
    Wire wire{peer};
    head = wire.until("\r\n\r\n");
    body = wire.exactly(9);
    peer.send(Origin::ok("done", kClosing));
  }};
  auto const connector = make_connector();
  auto [writer, pipe] = make_body_pipe(9);
  auto const done = exchange(*connector, put(origin.url(), pipe),
                             write_all(std::move(writer), {"one ", "two ", "3"}, 5ms));

  ASSERT_TRUE(done.answer) << done.answer.error().message;
  EXPECT_THAT(head, HasSubstr("Content-Length: 9\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Transfer-Encoding")));
  EXPECT_EQ(body, "one two 3");
  EXPECT_EQ(done.stats.bytes_sent, 9U);
}

TEST(EgressUpload, MayBeEmpty) {
  Origin const origin{[&](Origin::Connection& peer) {
    Wire wire{peer};
    wire.until("\r\n\r\n");
    auto const body = wire.chunked_body();
    peer.send(Origin::ok(wire.complete && body.empty() ? "nothing" : "?", kClosing));
  }};
  auto const connector = make_connector();
  auto [writer, pipe] = make_body_pipe();
  auto const done = exchange(*connector, put(origin.url(), pipe), write_all(std::move(writer), {}));

  ASSERT_TRUE(done.answer) << done.answer.error().message;
  EXPECT_EQ(done.answer->body, "nothing");
}

TEST(EgressUpload, LeavesTheHandleAsOthersNeedIt) {
  std::vector<std::string> heads;
  Origin const origin{[&](Origin::Connection& peer) {
    Wire wire{peer};
    for (std::string head; !(head = wire.until("\r\n\r\n")).empty();) {
      heads.push_back(head);
      if (head.find("chunked") != std::string::npos) wire.chunked_body();
      if (head.find("Content-Length: 4") != std::string::npos) wire.exactly(4);
      peer.send(Origin::ok(head.starts_with("HEAD") ? "" : "ok"));
    }
  }};
  auto const connector = make_connector();
  for (auto const* method : {"GET", "POST", "HEAD"}) {
    auto [writer, pipe] = make_body_pipe();
    auto const uploaded =
        exchange(*connector, put(origin.url(), pipe), write_all(std::move(writer), {"piece"}));
    ASSERT_TRUE(uploaded.answer) << method << uploaded.answer.error().message;
    auto plain = get(origin.url());
    plain.method = method;
    plain.body = method == std::string{"POST"} ? "body" : "";
    auto const answer = test::send(*connector, std::move(plain));
    ASSERT_TRUE(answer) << method << answer.error().message;
    EXPECT_THAT(heads.back(), testing::StartsWith(method));
    EXPECT_THAT(heads.back(), Not(HasSubstr("chunked")));
  }
  EXPECT_EQ(origin.connections(), 1U);
}

TEST(EgressUpload, HoldsItsWriterBackWhileTheOriginDoesNotRead) {
  constexpr std::size_t kSize = 200 * kUploadUnit;
  std::atomic<bool> reads{false};
  std::atomic<std::size_t> got{0};
  Origin const origin{[&](Origin::Connection& peer) {
    Wire wire{peer};
    wire.until("\r\n\r\n");
    while (!reads && peer.pause(5ms)) {
    }
    for (std::string piece; !(piece = wire.chunk()).empty();) got += piece.size();
    peer.send(Origin::ok("thanks"));
  }};
  auto const connector = make_connector();
  auto [writer, pipe] = make_body_pipe();
  std::atomic<std::size_t> written{0};
  std::size_t stuck_at = 0;
  std::size_t most = 0;
  auto const before = resident_kilobytes();
  auto const writing = [&](BodyWriter to) -> Task<void> {
    while (written < kSize) {
      SP_CO_CHECK(co_await to.write(std::string(64 * 1024, 'x')));
      written += 64 * 1024;
      most = std::max(most, resident_kilobytes());
    }
    co_return to.finish();
  };
  std::thread watch{[&] {
    std::this_thread::sleep_for(400ms);
    stuck_at = written;
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(written, stuck_at);
    reads = true;
  }};

  auto const done = exchange(*connector, put(origin.url(), pipe), writing(std::move(writer)));

  watch.join();
  ASSERT_TRUE(done.answer) << done.answer.error().message;
  EXPECT_EQ(got, kSize);
  EXPECT_EQ(done.stats.bytes_sent, kSize);
  EXPECT_LT(stuck_at, 16 * kUploadUnit);  // what the buffers of two sockets hold
  EXPECT_LT(most, before + 16 * 1024);
}

TEST(EgressUpload, TheAnswerMayBeginBeforeItIsOver) {
  Origin const origin{[](Origin::Connection& peer) {
    Wire wire{peer};
    wire.until("\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (std::string piece; !(piece = wire.chunk()).empty();) {
      peer.send("6\r\n<" + piece + ">\r\n");
    }
    peer.send("0\r\n\r\n");
  }};
  auto const connector = make_connector();
  auto [writer, pipe] = make_body_pipe();
  // Each piece is written only when the one before has come back.
  auto const task = [&](BodyWriter to) -> Task<std::string> {
    ExchangeStats stats;
    SP_CO_TRY(auto const running, co_await connector->open(put(origin.url(), pipe), stats));
    EXPECT_EQ(running->head().status, 200);
    std::string all;
    for (auto const* piece : {"ping", "pong", "done"}) {
      SP_CO_CHECK(co_await to.write(piece));
      SP_CO_TRY(auto const back, co_await running->read());
      all += back;
    }
    SP_CO_CHECK(to.finish());
    SP_CO_TRY(auto const end, co_await running->read());
    EXPECT_EQ(end, "");
    EXPECT_EQ(running->stats().bytes_sent, 12U);
    co_return all;
  };

  auto const all = test::run(task(std::move(writer)));

  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(*all, "<ping><pong><done>");
}

TEST(EgressUpload, AnEarlyRefusalIsTheAnswerAndEndsTheWriting) {
  Origin const origin{[](Origin::Connection& peer) {
    Wire wire{peer};
    wire.until("\r\n\r\n");
    wire.chunk();
    peer.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nno!");
    peer.wait_for_end();
  }};
  auto const connector = make_connector();
  auto [writer, pipe] = make_body_pipe();
  std::vector<std::string> const pieces(1000, std::string(64 * 1024, 'x'));
  auto const done =
      exchange(*connector, put(origin.url(), pipe), write_all(std::move(writer), pieces));

  ASSERT_TRUE(done.answer) << done.answer.error().message;
  EXPECT_EQ(done.answer->head.status, 413);
  EXPECT_EQ(done.answer->body, "no!");
  EXPECT_FAILS(done.written, Errc::Cancelled,
               "The request is over; the rest of its body is not sent.");
}

TEST(EgressUpload, AnAnswerAfterWhichTheOriginClosesEndsIt) {
  Origin const origin{[](Origin::Connection& peer) {
    Wire wire{peer};
    wire.until("\r\n\r\n");
    wire.chunk();
    peer.send(Origin::ok("enough", "Connection: close\r\n"));
    peer.wait_for_end();
  }};
  auto const connector = make_connector();
  auto [writer, pipe] = make_body_pipe();
  auto const start = Clock::now();
  auto const done =
      exchange(*connector, put(origin.url(), pipe),
               write_all(std::move(writer), std::vector<std::string>(1000, "piece"), 5ms));

  ASSERT_TRUE(done.answer) << done.answer.error().message;
  EXPECT_EQ(done.answer->body, "enough");
  EXPECT_FAILS(done.written, Errc::Cancelled,
               "The request is over; the rest of its body is not sent.");
  EXPECT_LT(Clock::now() - start, 2s);
}

TEST(EgressUpload, FailsWithTheReasonOfItsWriter) {
  std::atomic<int> complete{0};
  std::atomic<int> ended{0};
  Origin const origin{[&](Origin::Connection& peer) {
    Wire wire{peer};
    wire.until("\r\n\r\n");
    wire.chunked_body();
    complete += wire.complete ? 1 : 0;
    ++ended;
  }};
  auto const connector = make_connector();
  for (bool const says_why : {true, false}) {
    auto [writer, pipe] = make_body_pipe();
    auto const writing = [](BodyWriter to, bool why) -> Task<void> {
      SP_CO_CHECK(co_await to.write("half"));
      Timer timer{co_await asio::this_coro::executor, Clock::now() + 30ms};
      co_await timer.async_wait(use_async);
      if (why) to.fail(fail(Errc::InvalidInput, "The file cannot be read."));
      co_return Result<void>{};
    };
    auto const done =
        exchange(*connector, put(origin.url(), pipe), writing(std::move(writer), says_why));
    if (says_why) {
      EXPECT_FAILS(done.answer, Errc::InvalidInput, "The file cannot be read.");
    } else {
      EXPECT_FAILS(done.answer, Errc::Cancelled, "The body of the request was not completed.");
    }
  }
  for (int left = 200; left > 0 && ended < 2; --left) std::this_thread::sleep_for(5ms);
  EXPECT_EQ(ended, 2);
  EXPECT_EQ(complete, 0);
}

TEST(EgressUpload, FailsOnTheWayWhereItIsTooLarge) {
  std::atomic<std::size_t> got{0};
  Origin const origin{[&](Origin::Connection& peer) {
    Wire wire{peer};
    wire.until("\r\n\r\n");
    for (std::string piece; !(piece = wire.chunk()).empty();) got += piece.size();
  }};
  auto const connector = make_connector();
  auto [writer, pipe] = make_body_pipe();
  pipe->limit(3 * kUploadUnit);
  std::vector<std::string> const pieces(100, std::string(64 * 1024, 'x'));
  auto const done =
      exchange(*connector, put(origin.url(), pipe), write_all(std::move(writer), pieces));

  auto const* const text = "The request body has more than the 3145728 bytes that are allowed.";
  EXPECT_FAILS(done.answer, Errc::LimitExceeded, text);
  EXPECT_FAILS(done.written, Errc::LimitExceeded, text);
  EXPECT_LE(got, 3 * kUploadUnit);
}

TEST(EgressUpload, DestroyingTheExchangeEndsBothSides) {
  std::atomic<bool> ended{false};
  Origin const origin{[&](Origin::Connection& peer) {
    Wire wire{peer};
    wire.until("\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    wire.chunked_body();
    ended = true;
  }};
  auto const connector = make_connector();
  auto [writer, pipe] = make_body_pipe();
  auto const task = [&](BodyWriter to) -> Task<void> {
    ExchangeStats stats;
    SP_CO_TRY(auto running, co_await connector->open(put(origin.url(), pipe), stats));
    SP_CO_CHECK(co_await to.write("piece"));
    co_await running->end();
    running.reset();
    co_return co_await to.write("more");
  };

  EXPECT_FAILS(test::run(task(std::move(writer))), Errc::Cancelled, "The request was cancelled.");
  for (int left = 200; left > 0 && !ended; --left) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(ended);
}

TEST(EgressUpload, ASlowWriterIsNotASlowOrigin) {
  Origin const origin{[](Origin::Connection& peer) {
    Wire wire{peer};
    wire.until("\r\n\r\n");
    wire.chunked_body();
    peer.send(Origin::ok("patient"));
  }};
  auto const connector = make_connector();
  auto [writer, pipe] = make_body_pipe();
  auto dispatch = put(origin.url(), pipe);
  dispatch.limits.first_byte = 100ms;
  dispatch.limits.stall = 100ms;
  dispatch.head_deadline = Deadline::in(200ms);
  auto const done = exchange(*connector, std::move(dispatch),
                             write_all(std::move(writer), {"a", "b", "c"}, 150ms));

  ASSERT_TRUE(done.answer) << done.answer.error().message;
  EXPECT_EQ(done.answer->body, "patient");
}

TEST(EgressUpload, AnOriginThatTakesNothingIs) {
  Origin const origin{[](Origin::Connection& peer) { peer.pause(20s); }};
  auto const connector = make_connector();
  auto [writer, pipe] = make_body_pipe();
  auto dispatch = put(origin.url(), pipe);
  dispatch.limits.first_byte = 200ms;
  std::vector<std::string> const pieces(1000, std::string(64 * 1024, 'x'));
  auto const done = exchange(*connector, std::move(dispatch), write_all(std::move(writer), pieces));

  EXPECT_FAILS(done.answer, Errc::DeadlineExceeded,
               "127.0.0.1 did not begin to answer within 200 ms.");
  EXPECT_FAILS(done.written, Errc::DeadlineExceeded,
               "127.0.0.1 did not begin to answer within 200 ms.");
}

TEST(EgressUpload, TheDeadlineOfTheWholeCountsForWritersToo) {
  Origin const origin{[](Origin::Connection& peer) { peer.wait_for_end(); }};
  auto const connector = make_connector();
  auto [writer, pipe] = make_body_pipe();
  auto dispatch = put(origin.url(), pipe);
  dispatch.deadline = Deadline::in(150ms);
  auto const done = exchange(*connector, std::move(dispatch),
                             write_all(std::move(writer), {"a", "b", "c"}, 200ms));

  EXPECT_FAILS(done.answer, Errc::DeadlineExceeded,
               "The time for the request ran out before an answer came from 127.0.0.1.");
}

TEST(EgressUpload, WithHttp2AsWell) {
  if (!test::Nginx::is_installed()) SP_NOT_TESTED("install nginx-light");
  std::atomic<std::size_t> got{0};
  Origin const origin{[&](Origin::Connection& peer) {
    Wire wire{peer};
    wire.until("\r\n\r\n");
    for (std::string piece; !(piece = wire.chunk()).empty();) got += piece.size();
    peer.send(Origin::ok("got " + std::to_string(got)));
  }};
  test::CertificateAuthority authority;
  test::Nginx const nginx{
      {.locations = "location / { proxy_pass http://127.0.0.1:" + std::to_string(origin.port()) +
                    "; proxy_http_version 1.1; proxy_request_buffering off; "
                    "client_max_body_size 0; }",
       .tls = authority.issue()}};
  auto const connector = make_connector({.ca_file = authority.file()});
  for (auto const between : {0ms, 3ms}) {
    got = 0;
    auto [writer, pipe] = make_body_pipe();
    std::vector<std::string> const pieces(100, std::string(20'000, 'x'));
    auto const done = exchange(*connector, put(nginx.tls_url("/"), pipe),
                               write_all(std::move(writer), pieces, between));

    ASSERT_TRUE(done.answer) << done.answer.error().message << done.answer.error().detail;
    EXPECT_EQ(done.answer->head.version, "2");
    EXPECT_EQ(done.answer->body, "got 2000000");
    EXPECT_EQ(done.stats.bytes_sent, 2'000'000U);
  }
}

}  // namespace
}  // namespace sallyport::egress
