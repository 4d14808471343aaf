// Streams of one view that are opened, pulled, pushed and closed on different loops at once.
#include "src/base/event_loops.hpp"
#include "src/stream/test_streams.hpp"

#include <atomic>

namespace sallyport::stream {
namespace {

using namespace test_streams;

// Gives so many pieces, each after a turn of its loop.
class CountingOrigin final : public pipeline::OutboundStream {
 public:
  explicit CountingOrigin(int pieces) : left_{pieces} {}

  url::Url const& url() const noexcept override { return url_; }
  bool redirected() const noexcept override { return false; }
  egress::ResponseHead& head() noexcept override { return head_; }
  egress::ExchangeStats stats() const override { return {}; }
  Task<void> close() override { co_return Result<void>{}; }
  Task<std::optional<std::string>> next() override {
    co_await asio::post(co_await asio::this_coro::executor, use_async);
    if (left_-- == 0) co_return std::optional<std::string>{};
    co_return std::optional{std::string(50'000, static_cast<char>('a' + left_ % 26))};
  }

 private:
  int left_;
  url::Url url_{*url::Url::parse("http://origin.example/")};
  egress::ResponseHead head_{.status = 200};
};

struct Bench {
  EventLoops loops{3};
  // Less than the streams of it would take: they wait for each other's room, too.
  Views views{Limits{.window = 200'000, .principal_bytes = 900'000}};
  ViewKey key{"alice", "view-of-alice-0001"};
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<int> ended{0};

  Task<std::string> open_on_this_loop(int pieces) {
    SP_CO_TRY(auto opening, views.open(key, co_await asio::this_coro::executor));
    auto const stream = *opening;
    SP_CO_CHECK(
        views.start(stream, "body", pump_body(stream, std::make_unique<CountingOrigin>(pieces))));
    SP_CO_CHECK(opening.publish());
    co_return stream->id();
  }

  // Until everything has come; another loop takes its turn after each.
  Task<void> pull_until_empty(PullRequest::Numbers& next) {
    auto turn = views.pull(key, {.acks = next});
    if (!turn) co_return turn.error();
    if (turn->state().open == 0) co_return Result<void>{};
    co_await turn->wait(Deadline::in(2s));
    for (auto const& frame : turn->take(300'000)) {
      for (auto& [id, number] : next) {
        if (id == frame.id) number = frame.seq + 1;
      }
      bytes += frame.frame->payload.size();
      if (frame.frame->is_last()) ++ended;
    }
    co_return Result<void>{};
  }

  Task<void> everything() {
    PullRequest::Numbers next;
    for (std::size_t i = 0; i < 12; ++i) {
      SP_CO_TRY(auto id, co_await run_on(loops.executor(i % 3), open_on_this_loop(40)));
      next.emplace_back(std::move(id), 0);
    }
    for (std::size_t i = 0; i < 2000 && ended < 12; ++i) {
      SP_CO_CHECK(co_await run_on(loops.executor(i % 3), pull_until_empty(next)));
    }
    // Those that nobody reads to their end are closed while their pumps run.
    for (std::size_t i = 0; i < 30; ++i) {
      SP_CO_TRY(auto id, co_await run_on(loops.executor(i % 3), open_on_this_loop(1000)));
      if (i % 2 == 0) {
        EXPECT_EQ(views.close(key, {id}).size(), 1);
      }
    }
    SP_CO_CHECK(co_await views.stop());
    loops.finish();
    co_return Result<void>{};
  }
};

TEST(StreamsOnLoops, ComeWholeWhicheverLoopPulls) {
  Bench bench;
  start_on(bench.loops.executor(0), bench.everything());
  bench.loops.run();

  EXPECT_EQ(bench.ended, 12);
  EXPECT_EQ(bench.bytes, 12ULL * 40 * 50'000);
}

}  // namespace
}  // namespace sallyport::stream
