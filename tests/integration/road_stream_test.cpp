// Answers that are handed on while they come, from real origins through the whole road, over a real
// audit log: back-pressure, limits, credentials in pieces, and every way to end.
#include "src/app/road_out.hpp"
#include "src/audit/audit_log.hpp"
#include "src/audit/log_reader.hpp"
#include "src/base/task_group.hpp"

#include "tests/support/nginx.hpp"
#include "tests/support/not_tested.hpp"
#include "tests/support/origin.hpp"
#include "tests/support/resident.hpp"
#include "tests/support/temp_folder.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <sys/resource.h>

namespace sallyport::test {
namespace {

using namespace std::chrono_literals;
using audit::StreamState;
using pipeline::OutboundRequest;
using pipeline::OutboundStream;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kStreamUnit = 1UL << 20;

std::chrono::microseconds processor_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::chrono::seconds{usage.ru_utime.tv_sec + usage.ru_stime.tv_sec} +
         std::chrono::microseconds{usage.ru_utime.tv_usec + usage.ru_stime.tv_usec};
}

Async<void> sleep_for(std::chrono::milliseconds time) {
  Timer timer{co_await asio::this_coro::executor, Clock::now() + time};
  co_await timer.async_wait(use_async);
}

class RoadStream : public testing::Test {
 protected:
  using Stream = std::unique_ptr<OutboundStream>;

  RoadStream() { options_.file = folder_.file("audit.db"); }

  // Runs `use(road, passage)` in a group that a test may stop, then ends the program around it.
  template <class Use>
  Result<void> on_road(Use const& use) {
    EventLoops loops{1};
    auto log = audit::AuditLog::open(options_, metrics_);
    if (!log) return log.error();
    auto out = app::RoadOut::create(settings_, loops, **log, metrics_);
    if (!out) return out.error();
    RequestContext const about{.request_id = "7", .principal = {.id = "alice"}};
    pipeline::Passage const passage{
        .request = &about, .operation = "fetch", .purpose = "fetch", .tool = "fetch"};
    Result<void> outcome = fail(Errc::Internal, "The call did not end.");
    TaskGroup group{loops.executor(0), [](std::string_view, Error const&) {}};
    stop_ = [&] { group.stop(asio::cancellation_type::terminal); };
    auto const call = [&]() -> Task<void> {
      outcome = co_await capture(use((*out)->road(), passage));
      loops.finish();
      co_return Result<void>{};
    };
    group.spawn("call", call());
    loops.run();
    left_over_.reset();  // no loop runs any more
    return outcome;
  }

  // Opens one, and hands it to `use`.
  template <class Use>
  Result<void> with_stream(OutboundRequest request, Use const& use) {
    return on_road([&](pipeline::Road& road, pipeline::Passage const& passage) -> Task<void> {
      SP_CO_TRY(auto stream, co_await road.open(passage, std::move(request)));
      co_return co_await use(std::move(stream));
    });
  }

  // Reads to the end.
  Result<void> read(OutboundRequest request) {
    return with_stream(std::move(request), [this](Stream stream) -> Task<void> {
      for (;;) {
        SP_CO_TRY(auto piece, co_await stream->next());
        if (!piece) co_return Result<void>{};
        got_ += *piece;
      }
    });
  }

  void open_to(Origin const& origin) { settings_.egress.open.push_back(place(origin)); }

  std::vector<audit::Record> records() const {
    std::vector<audit::Record> all;
    auto reader = audit::LogReader::open(options_.file);
    EXPECT_TRUE(reader);
    EXPECT_TRUE(reader->each({}, [&](audit::Entry const& entry) {
      all.push_back(*audit::parse_record(entry.record.body));
      return true;
    }));
    return all;
  }
  // The record of the end, after looking whether there are these two.
  audit::Record closed() const {
    auto const all = records();
    EXPECT_EQ(all.size(), 2U);
    if (all.size() != 2) return {};
    EXPECT_EQ(all[0].stream, StreamState::Opened);
    EXPECT_EQ(all[1].stream, StreamState::Closed);
    EXPECT_EQ(all[0].id, all[1].id);
    return all[1];
  }

  config::Settings settings_;
  audit::AuditOptions options_;
  Stream left_over_;
  std::function<void()> stop_;
  std::string got_;

 private:
  TempFolder folder_;
  Metrics metrics_;
};

// As much as is taken.
class FastOrigin {
 public:
  std::atomic<std::size_t> sent{0};
  std::atomic<bool> ended{false};
  Origin origin{[this](Origin::Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
    std::string const piece(64 * 1024, 'x');
    while (peer.send(piece)) sent += piece.size();
    ended = true;
  }};

  bool ends() const {
    for (int left = 200; left > 0 && !ended; --left) std::this_thread::sleep_for(5ms);
    return ended;
  }
};

TEST_F(RoadStream, HoldsAFastOriginBackWhileNobodyAsks) {
  FastOrigin fast;
  open_to(fast.origin);
  std::size_t held_at = 0;
  std::size_t held_later = 0;
  std::size_t most = 0;
  std::size_t read = 0;
  auto const before = resident_kilobytes();

  auto const done = with_stream({.url = fast.origin.url(), .response_bytes = 1UL << 30},
                                [&](Stream stream) -> Task<void> {
                                  SP_CO_TRY(auto const first, co_await stream->next());
                                  read += first->size();
                                  co_await sleep_for(400ms);
                                  held_at = fast.sent;
                                  co_await sleep_for(300ms);
                                  held_later = fast.sent;
                                  while (read < 200 * kStreamUnit) {
                                    SP_CO_TRY(auto const piece, co_await stream->next());
                                    read += piece->size();
                                    most = std::max(most, resident_kilobytes());
                                  }
                                  co_return co_await stream->close();
                                });

  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(held_at, held_later);
  EXPECT_LT(held_at, 16 * kStreamUnit);  // what the buffers of two sockets hold
  EXPECT_LT(most, before + 16 * 1024);
  EXPECT_TRUE(fast.ends());
  auto const record = closed();
  EXPECT_GE(record.bytes_received, read);
  EXPECT_LE(record.bytes_received, read + 1 * kStreamUnit);
  EXPECT_EQ(record.error_code, "cancelled");
  RecordProperty("held_at_bytes", static_cast<int>(held_at));
  RecordProperty("grown_by_kilobytes", static_cast<int>(most - before));
}

TEST_F(RoadStream, HoldsHttp2BackToo) {
  if (!Nginx::is_installed()) SP_NOT_TESTED("install nginx-light");
  constexpr std::size_t kSize = 100 * kStreamUnit;
  CertificateAuthority authority;
  Nginx const nginx{{.locations = "", .tls = authority.issue()}};
  nginx.put_file("large", std::string(kSize, 'x'));
  settings_.egress.ca_file = authority.file();
  settings_.egress.open = {"localhost:" + std::to_string(nginx.tls_port()),
                           "127.0.0.1:" + std::to_string(nginx.tls_port())};
  std::size_t read = 0;
  std::size_t most = 0;
  std::chrono::microseconds idle{0};
  auto const before = resident_kilobytes();

  auto const done = with_stream({.url = nginx.tls_url("/large"), .response_bytes = kSize},
                                [&](Stream stream) -> Task<void> {
                                  EXPECT_EQ(stream->head().version, "2");
                                  SP_CO_TRY(auto const first, co_await stream->next());
                                  read += first->size();
                                  co_await sleep_for(300ms);
                                  auto const begin = processor_time();
                                  co_await sleep_for(500ms);
                                  idle = processor_time() - begin;
                                  for (;;) {
                                    SP_CO_TRY(auto const piece, co_await stream->next());
                                    most = std::max(most, resident_kilobytes());
                                    if (!piece) co_return Result<void>{};
                                    read += piece->size();
                                  }
                                });

  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(read, kSize);
  EXPECT_LT(most, before + 48 * 1024);
  EXPECT_LT(idle, 150ms);
  EXPECT_EQ(closed().bytes_received, kSize);
  EXPECT_EQ(closed().error_code, "");
  RecordProperty("grown_by_kilobytes", static_cast<int>(most - before));
  RecordProperty("idle_microseconds", static_cast<int>(idle.count()));
}

TEST_F(RoadStream, GivesEventsWhenTheyCome) {
  std::atomic<int> wanted{0};
  Origin const origin{[&](Origin::Connection& peer) {
    peer.receive_request();
    peer.send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        "Transfer-Encoding: chunked\r\n\r\n");
    for (int i = 1; i <= 3; ++i) {
      while (wanted < i && peer.pause(1ms)) {
      }
      peer.send("9\r\ndata: " + std::to_string(i) + "\n\n\r\n");
    }
    peer.send("0\r\n\r\n");
  }};
  open_to(origin);
  std::vector<std::string> events;

  auto const done = with_stream({.url = origin.url()}, [&](Stream stream) -> Task<void> {
    for (;;) {
      ++wanted;
      SP_CO_TRY(auto const event, co_await stream->next());
      if (!event) co_return Result<void>{};
      events.push_back(*event);
    }
  });

  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(events, ElementsAre("data: 1\n\n", "data: 2\n\n", "data: 3\n\n"));
  EXPECT_EQ(closed().bytes_received, 27U);
}

TEST_F(RoadStream, CoversACredentialThatTheOriginRepeatsByteByByte) {
  Origin const origin{[](Origin::Connection& peer) {
    auto const request = peer.receive_request();
    auto const from = request.find("Authorization: ");
    auto const echo = "you sent " + request.substr(from, request.find('\r', from) - from) + "!";
    peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
    peer.trickle(echo, 1ms);
  }};
  open_to(origin);
  settings_.egress.inject = {{.reach = {.hosts = {"127.0.0.1"}, .schemes = {"http"}, .ports = {}},
                              .header = "Authorization",
                              .source = credentials::fixed_source(Secret{"Bearer hidden-token"}),
                              .name = "a"}};

  ASSERT_TRUE(read({.url = origin.url()}));

  EXPECT_EQ(got_, "you sent Authorization: Bearer ************!");
}

TEST_F(RoadStream, EndsAtItsLimitOfBytes) {
  FastOrigin fast;
  open_to(fast.origin);

  auto const done = read({.url = fast.origin.url(), .response_bytes = 3 * kStreamUnit});

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::LimitExceeded);
  EXPECT_LE(got_.size(), 3 * kStreamUnit);
  EXPECT_GT(got_.size(), 2 * kStreamUnit);
  EXPECT_EQ(closed().error_code, "limit_exceeded");
  EXPECT_EQ(closed().verdict, audit::Verdict::Allowed);
}

TEST_F(RoadStream, MayLastLongerThanACallAndHasATimeOfItsOwnWhereAskedTo) {
  Origin const slow{[](Origin::Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n");
    peer.trickle("0123456789", 50ms);
  }};
  open_to(slow);

  EXPECT_TRUE(read({.url = slow.url(), .timeout = 200ms}));
  EXPECT_EQ(got_, "0123456789");

  auto const late = read({.url = slow.url(), .stream_timeout = 200ms});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::DeadlineExceeded);
  EXPECT_EQ(records().back().error_code, "deadline_exceeded");
}

TEST_F(RoadStream, WhoseHeadDoesNotComeIsLateLikeAnyCall) {
  Origin const silent{Origin::silent()};
  open_to(silent);

  auto const late = read({.url = silent.url(), .timeout = 150ms});

  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::DeadlineExceeded);
  ASSERT_EQ(records().size(), 1U);
  EXPECT_EQ(records()[0].stream, StreamState::None);
}

TEST_F(RoadStream, ThatStallsFails) {
  Origin const stalling{[](Origin::Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
    peer.wait_for_end();
  }};
  open_to(stalling);
  settings_.egress.exchange.stall = 150ms;

  auto const done = read({.url = stalling.url()});

  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("stopped: nothing came for 150 ms"));
  EXPECT_EQ(got_, "half");
  EXPECT_EQ(closed().bytes_received, 4U);
}

TEST_F(RoadStream, WhoseReaderIsCancelledEndsAtOnceAtTheOriginToo) {
  std::atomic<bool> ended{false};
  Origin const stalling{[&](Origin::Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
    peer.wait_for_end();
    ended = true;
  }};
  open_to(stalling);
  auto const begin = Clock::now();

  auto const done = with_stream({.url = stalling.url()}, [&](Stream stream) -> Task<void> {
    SP_CO_TRY(auto const first, co_await stream->next());
    EXPECT_EQ(first, "half");
    asio::post(co_await asio::this_coro::executor, stop_);
    auto const next = co_await stream->next();
    EXPECT_EQ(next.error().code, Errc::Cancelled);
    left_over_ = std::move(stream);  // ended, though it lives
    for (int left = 200; left > 0 && !ended; --left) std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(ended);
    co_return Result<void>{};
  });

  EXPECT_TRUE(done);
  EXPECT_LT(Clock::now() - begin, 2s);
  EXPECT_EQ(closed().error_code, "cancelled");
  EXPECT_EQ(closed().bytes_received, 4U);
}

TEST_F(RoadStream, ThatIsLeftWhenTheLoopsHaveEndedIsOnRecord) {
  FastOrigin fast;
  open_to(fast.origin);

  ASSERT_TRUE(with_stream({.url = fast.origin.url()}, [&](Stream stream) -> Task<void> {
    SP_CO_TRY(auto const first, co_await stream->next());
    left_over_ = std::move(stream);
    co_return Result<void>{};
  }));

  EXPECT_TRUE(fast.ends());
  EXPECT_EQ(closed().error, "The stream was closed before its end.");
  EXPECT_GT(closed().bytes_received, 0U);
}

TEST_F(RoadStream, FollowsRedirects) {
  Origin const origin{Origin::answering([](std::string const& request) -> std::string {
    if (!request.starts_with("GET /from ")) return Origin::ok("there");
    return "HTTP/1.1 302 Found\r\nLocation: /to\r\nContent-Length: 5\r\n\r\nmoved";
  })};
  open_to(origin);

  ASSERT_TRUE(with_stream({.url = origin.url("/from")}, [&](Stream stream) -> Task<void> {
    EXPECT_TRUE(stream->redirected());
    EXPECT_EQ(stream->url().href(), origin.url("/to"));
    SP_CO_TRY(auto const piece, co_await stream->next());
    EXPECT_EQ(piece, "there");
    SP_CO_TRY(auto const end, co_await stream->next());
    EXPECT_FALSE(end);
    co_return Result<void>{};
  }));

  EXPECT_EQ(closed().hops.size(), 2U);
  EXPECT_EQ(closed().bytes_received, 10U);  // of both hops
  EXPECT_EQ(origin.connections(), 1U);
}

TEST_F(RoadStream, SendsABodyWhileItIsMadeAndCountsIt) {
  using asio::experimental::awaitable_operators::operator&&;
  std::atomic<std::size_t> received{0};
  Origin const origin{[&](Origin::Connection& peer) {
    char piece[65536];
    std::string tail;
    while (!tail.ends_with("\r\n0\r\n\r\n")) {
      auto const count = ::recv(peer.socket(), piece, sizeof piece, 0);
      if (count <= 0) return;
      received += static_cast<std::size_t>(count);
      tail.append(piece, static_cast<std::size_t>(count));
      if (tail.size() > 100) tail.erase(0, tail.size() - 100);
    }
    peer.send(Origin::ok("thanks"));
  }};
  open_to(origin);
  auto ends = egress::make_body_pipe();
  auto const writing = [](egress::BodyWriter writer) -> Task<void> {
    for (int i = 0; i < 500; ++i) {
      SP_CO_CHECK(co_await writer.write(std::string(100'000, 'x')));
    }
    co_return writer.finish();
  };
  auto const before = resident_kilobytes();

  auto const done =
      on_road([&](pipeline::Road& road, pipeline::Passage const& passage) -> Task<void> {
        OutboundRequest request{.method = "POST",
                                .url = origin.url(),
                                .upload = ends.pipe,
                                .request_bytes = 100 * kStreamUnit};
        auto [opened, written] = co_await (capture(road.open(passage, std::move(request))) &&
                                           capture(writing(std::move(ends.writer))));
        SP_CO_CHECK(written);
        SP_CO_TRY(auto const stream, std::move(opened));
        SP_CO_TRY(auto const piece, co_await stream->next());
        EXPECT_EQ(piece, "thanks");
        SP_CO_TRY(auto const end, co_await stream->next());
        EXPECT_FALSE(end);
        co_return Result<void>{};
      });

  ASSERT_TRUE(done) << done.error().message;
  EXPECT_GT(received, 50'000'000U);
  EXPECT_LT(resident_kilobytes(), before + 16 * 1024);
  EXPECT_EQ(closed().bytes_sent, 50'000'000U);
  EXPECT_EQ(closed().bytes_received, 6U);
}

}  // namespace
}  // namespace sallyport::test
