#include "src/pipeline/robots_cache.hpp"

#include "tests/support/run.hpp"

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

namespace sallyport::pipeline {
namespace {

using namespace std::chrono_literals;

constexpr auto kAgent = "ModelContextProtocol/1.0";

// A site that answers robots.txt as it is told, after a turn of the loop.
struct Site {
  Result<RobotsAnswer> answer{RobotsAnswer{.status = 200, .body = "User-agent: *\nDisallow: /no"}};
  bool hangs{false};
  int asked{0};
  std::string asked_for;

  Task<RobotsAnswer> reply(url::Url url) {
    ++asked;
    asked_for = url.href();
    auto const executor = co_await asio::this_coro::executor;
    Timer timer{executor, hangs ? Clock::time_point::max() : Clock::now()};
    auto const [interrupted] = co_await timer.async_wait(use_tuple);
    if (interrupted) co_return fail(Errc::Cancelled, "The request was cancelled.");
    co_return answer;
  }

  RobotsCache::Fetch fetch() {
    return [this](url::Url url) { return reply(std::move(url)); };
  }
};

struct Bench {
  Clock::time_point now{std::chrono::hours{1000}};
  Site site;
  RobotsCacheOptions options{};
  RobotsCache cache{with_clock()};

  RobotsCacheOptions with_clock() {
    options.now = [this] { return now; };
    return options;
  }
};

Task<void> check(RobotsCache& cache, Site& site, std::string text, Deadline deadline = {}) {
  auto const url = *url::Url::parse(text);
  auto const fetch = site.fetch();
  co_return co_await cache.check(url, kAgent, deadline, fetch);
}

Result<void> ask(Bench& bench, std::string url = "https://x.example/no?q") {
  return test::run(check(bench.cache, bench.site, std::move(url)));
}

void answers(Bench& bench, int status, std::string cache_control = "") {
  bench.site.answer = RobotsAnswer{.status = status,
                                   .body = "User-agent: *\nDisallow: /no",
                                   .cache_control = std::move(cache_control)};
}

TEST(RobotsCache, SaysWhatIsDisallowedForWhomAndHowToTurnItOff) {
  Bench bench;

  auto const refused = ask(bench);

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::PolicyDenied);
  EXPECT_EQ(refused.error().message,
            "https://x.example/robots.txt disallows /no for ModelContextProtocol. The operator can "
            "turn this check off with the setting fetch.robots.");
  EXPECT_EQ(bench.site.asked_for, "https://x.example/robots.txt");
}

TEST(RobotsCache, AsksOncePerOrigin) {
  Bench bench;

  EXPECT_TRUE(ask(bench, "https://x.example/a"));
  EXPECT_FALSE(ask(bench, "https://x.example/no"));
  EXPECT_EQ(bench.site.asked, 1);
  EXPECT_TRUE(ask(bench, "https://x.example:8443/a"));
  EXPECT_TRUE(ask(bench, "http://x.example/a"));
  EXPECT_EQ(bench.site.asked, 3);
}

TEST(RobotsCache, DoesNotAskAboutRobotsTxtItself) {
  Bench bench;

  EXPECT_TRUE(ask(bench, "https://x.example/robots.txt"));
  EXPECT_EQ(bench.site.asked, 0);
}

TEST(RobotsCache, AllowsEverythingWhereThereIsNoFile) {
  for (int const status : {301, 400, 401, 403, 404, 410, 429}) {
    Bench bench;
    answers(bench, status);

    EXPECT_TRUE(ask(bench)) << status;
    EXPECT_TRUE(ask(bench)) << status;
    EXPECT_EQ(bench.site.asked, 1) << status;
  }
}

TEST(RobotsCache, DisallowsEverythingWhileTheSiteIsBrokenAndAsksAgainSoon) {
  for (Result<RobotsAnswer> const& broken : std::initializer_list<Result<RobotsAnswer>>{
           RobotsAnswer{.status = 500, .body = "", .cache_control = "max-age=9999"},
           RobotsAnswer{.status = 503}, RobotsAnswer{.status = 0, .unreachable = true},
           fail(Errc::UpstreamFailed, "x"), fail(Errc::DeadlineExceeded, "x")}) {
    Bench bench;
    bench.site.answer = broken;

    auto const refused = ask(bench, "https://x.example/a");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::PolicyDenied);
    EXPECT_NE(refused.error().message.find("could not be read"), std::string::npos);
    EXPECT_FALSE(ask(bench, "https://x.example/b"));
    EXPECT_EQ(bench.site.asked, 1);

    answers(bench, 404);
    bench.now += 60s;
    EXPECT_TRUE(ask(bench, "https://x.example/a"));
  }
}

TEST(RobotsCache, HandsOtherFailuresOnAndForgetsThem) {
  for (auto const code : {Errc::EgressBlocked, Errc::PolicyDenied, Errc::LimitExceeded}) {
    Bench bench;
    bench.site.answer = fail(code, "why");

    auto const refused = ask(bench);

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, code);
    EXPECT_EQ(refused.error().message, "why");
    EXPECT_EQ(bench.cache.size(), 0U);
  }
}

TEST(RobotsCache, KeepsAnAnswerAsLongAsTheSiteSaysWithinBounds) {
  struct Case {
    char const* cache_control;
    std::chrono::seconds kept;
  };
  constexpr Case kCases[] = {
      {"", 1h},
      {"public, Max-Age=7200", 2h},
      {"max-age=1", 5min},
      {"max-age=99999999999999", 24h},
      {"max-age=604800", 24h},
      {"no-store, max-age=7200", 5min},
      {"max-age=x", 1h},
      {"max-age", 1h},
      {"max-age=-5", 1h},
      {"s-maxage=99,,", 1h},
  };
  for (auto const& [cache_control, kept] : kCases) {
    Bench bench;
    answers(bench, 200, cache_control);
    (void)ask(bench);

    bench.now += kept - 1s;
    (void)ask(bench);
    EXPECT_EQ(bench.site.asked, 1) << cache_control;
    bench.now += 1s;
    (void)ask(bench);
    EXPECT_EQ(bench.site.asked, 2) << cache_control;
  }
}

TEST(RobotsCache, ForgetsTheLongestUnusedFirst) {
  Bench bench;
  bench.cache = RobotsCache{[&] {
    auto options = bench.with_clock();
    options.entries = 2;
    return options;
  }()};
  (void)ask(bench, "https://a.example/");
  (void)ask(bench, "https://b.example/");
  (void)ask(bench, "https://a.example/");
  (void)ask(bench, "https://c.example/");
  EXPECT_EQ(bench.cache.size(), 2U);
  EXPECT_EQ(bench.site.asked, 3);

  (void)ask(bench, "https://a.example/");
  EXPECT_EQ(bench.site.asked, 3);
  (void)ask(bench, "https://b.example/");
  EXPECT_EQ(bench.site.asked, 4);
}

TEST(RobotsCache, StaysWithinItsBytes) {
  Bench bench;
  bench.cache = RobotsCache{[&] {
    auto options = bench.with_clock();
    options.bytes = 10'000;
    return options;
  }()};
  bench.site.answer =
      RobotsAnswer{.status = 200, .body = "User-agent: *\nDisallow: /" + std::string(3'000, 'x')};

  for (int i = 0; i < 9; ++i) (void)ask(bench, "https://" + std::to_string(i) + ".example/");

  EXPECT_LE(bench.cache.size(), 3U);
  EXPECT_GE(bench.cache.size(), 2U);
}

// Runs several checks at once; each result has its place.
struct Together {
  asio::io_context loop;
  std::vector<Result<void>> results;

  void start(Task<void> task, asio::cancellation_slot slot = {}) {
    auto const at = results.size();
    results.emplace_back(fail(Errc::Internal, "The task did not end."));
    asio::co_spawn(
        loop, capture(std::move(task)),
        asio::bind_cancellation_slot(slot, [this, at](std::exception_ptr, Result<void> result) {
          results[at] = std::move(result);
        }));
  }
};

TEST(RobotsCache, AsksOnceForAllThatWaitAtTheSameTime) {
  Bench bench;
  Together together;
  for (int i = 0; i < 5; ++i) {
    together.start(
        check(bench.cache, bench.site, i == 2 ? "https://x.example/no" : "https://x.example/a"));
  }
  together.loop.run();

  EXPECT_EQ(bench.site.asked, 1);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(together.results[i].has_value(), i != 2) << i;
}

TEST(RobotsCache, AnotherAsksWhenTheFirstIsCancelled) {
  Bench bench;
  bench.site.hangs = true;
  Together together;
  asio::cancellation_signal stop;
  together.start(check(bench.cache, bench.site, "https://x.example/a"), stop.slot());
  together.start(check(bench.cache, bench.site, "https://x.example/a"));
  together.loop.poll();
  bench.site.hangs = false;
  stop.emit(asio::cancellation_type::terminal);
  together.loop.run();

  EXPECT_EQ(together.results[0].error().code, Errc::Cancelled);
  EXPECT_TRUE(together.results[1]);
  EXPECT_EQ(bench.site.asked, 2);
}

TEST(RobotsCache, CountsASiteThatHangsAsBroken) {
  Bench bench;
  bench.cache = RobotsCache{[&] {
    auto options = bench.with_clock();
    options.timeout = 1ms;
    return options;
  }()};
  bench.site.hangs = true;

  EXPECT_EQ(ask(bench).error().code, Errc::PolicyDenied);
  EXPECT_EQ(bench.cache.size(), 1U);
}

TEST(RobotsCache, DoesNotBlameTheSiteForTheCallersDeadline) {
  Bench bench;
  bench.site.hangs = true;

  auto const late =
      test::run(check(bench.cache, bench.site, "https://x.example/a", Deadline::in(1ms)));

  EXPECT_EQ(late.error().code, Errc::DeadlineExceeded);
  EXPECT_EQ(bench.cache.size(), 0U);
}

}  // namespace
}  // namespace sallyport::pipeline
