#include "src/pipeline/limiter.hpp"

#include "src/pipeline/limit_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

namespace sallyport::pipeline {
namespace {

using namespace std::chrono_literals;

TimePoint const kStart{std::chrono::hours{1000}};

LimiterOptions unlimited() {
  return {.concurrent = 0, .concurrent_per_principal = 0, .concurrent_per_host = 0};
}

struct Call {
  std::string principal{"ada"};
  std::string tool{"fetch"};
  std::string url{"https://api.example/v1/x"};
};

Result<Limiter::Slot> enter(Limiter& limiter, Call const& call = {}, TimePoint now = kStart) {
  auto const url = *url::Url::parse(call.url);
  return limiter.enter({.principal = call.principal, .tool = call.tool, .url = url, .now = now});
}

std::string refusal(Limiter& limiter, Call const& call = {}, TimePoint now = kStart) {
  auto const entered = enter(limiter, call, now);
  if (entered) return "";
  EXPECT_EQ(entered.error().code, Errc::LimitExceeded);
  return entered.error().message;
}

TEST(Rate, IsReadAndSaid) {
  EXPECT_EQ(Rate::parse("100/s")->to_string(), "100 per second");
  EXPECT_EQ(Rate::parse("9/day")->as_setting(), "9/day");
  EXPECT_EQ(Rate::parse("20/min")->to_string(), "20 per minute");
  EXPECT_EQ(Rate::parse("5000/h")->to_string(), "5000 per hour");
  EXPECT_EQ(Rate::parse("9/day")->period, 24h);
  EXPECT_EQ((Rate{.count = 3, .period = 500ms}).to_string(), "3 per 500 ms");
}

TEST(Rate, SaysWhatIsWrongWithAnother) {
  struct Case {
    char const* text;
    char const* why;
  };
  constexpr Case kCases[] = {
      {"100", "slash"},
      {"", "slash"},
      {"/s", "whole number"},
      {"x/s", "whole number"},
      {"-1/s", "whole number"},
      {"1.5/s", "whole number"},
      {" 1/s", "whole number"},
      {"0/s", "nothing"},
      {"99999999999/s", "above"},
      {"99999999999999999999999/s", "above"},
      {"5/", "unit"},
      {"5/m", "unit"},
      {"5/S", "unit"},
      {"5/s ", "unit"},
  };
  for (auto const& [text, why] : kCases) {
    auto const rate = Rate::parse(text);

    ASSERT_FALSE(rate) << text;
    EXPECT_NE(rate.error().message.find(why), std::string::npos) << rate.error().message;
  }
}

TEST(Limiter, WithoutLimitsAllowsEverything) {
  Limiter limiter{unlimited()};
  std::vector<Limiter::Slot> slots;
  for (int i = 0; i < 1000; ++i) {
    auto slot = enter(limiter);
    ASSERT_TRUE(slot);
    slots.push_back(std::move(*slot));
  }
}

TEST(Limiter, AllowsSoManyAtOnceAndOneMoreWhenOneHasEnded) {
  auto options = unlimited();
  options.concurrent = 2;
  Limiter limiter{options};
  auto first = enter(limiter);
  auto second = enter(limiter);

  EXPECT_EQ(refusal(limiter),
            "Too many calls at once: at most 2. Try again when one of them has ended.");
  *first = Limiter::Slot{};
  EXPECT_TRUE(enter(limiter));
  EXPECT_TRUE(enter(limiter)) << "the one before was given back at once";
}

TEST(Limiter, CountsCallsAtOncePerCallerAndPerHost) {
  auto options = unlimited();
  options.concurrent_per_principal = 1;
  options.concurrent_per_host = 2;
  Limiter limiter{options};
  auto const ada = enter(limiter);

  EXPECT_EQ(refusal(limiter),
            "Too many calls at once by this caller: at most 1. Try again when one of them has "
            "ended.");
  auto const bob = enter(limiter, {.principal = "bob"});
  EXPECT_TRUE(bob);
  EXPECT_EQ(refusal(limiter, {.principal = "eve", .url = "https://API.example.:8443/"}),
            "Too many calls at once to api.example: at most 2. Try again when one of them has "
            "ended.");
  EXPECT_TRUE(enter(limiter, {.principal = "eve", .url = "https://other.example/"}));
}

TEST(Limiter, SaysExactlyWhenToTryAgain) {
  auto options = unlimited();
  options.per_host = {.count = 10, .period = 4s};
  Limiter limiter{options};
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(enter(limiter));

  EXPECT_EQ(refusal(limiter),
            "Too many calls to api.example: at most 10 per 4000 ms. Try again in 0.4 s.");
  EXPECT_NE(refusal(limiter, {}, kStart + 400ms - 1ns), "");
  EXPECT_EQ(refusal(limiter, {}, kStart + 400ms), "");
  EXPECT_NE(refusal(limiter, {}, kStart + 400ms), "");
}

TEST(Limiter, SaysTheLongestWaitOfAll) {
  auto options = unlimited();
  options.per_host = {.count = 1, .period = 1s};
  options.per_tool = {.count = 1, .period = 1min};
  Limiter limiter{options};
  ASSERT_TRUE(enter(limiter));

  EXPECT_EQ(refusal(limiter),
            "Too many calls of the tool fetch: at most 1 per minute. Try again in 60 s.");
}

TEST(Limiter, TakesTokensFromAllBucketsOrFromNone) {
  auto options = unlimited();
  options.per_principal = {.count = 2, .period = 1h};
  options.per_host = {.count = 1, .period = 1h};
  Limiter limiter{options};
  ASSERT_TRUE(enter(limiter));

  for (int i = 0; i < 5; ++i) EXPECT_NE(refusal(limiter), "");

  EXPECT_EQ(refusal(limiter, {.url = "https://other.example/"}), "")
      << "refusals took tokens of the caller";
  EXPECT_NE(refusal(limiter, {.url = "https://third.example/"}), "");
}

TEST(Limiter, ARefusedCallTakesNoPlace) {
  auto options = unlimited();
  options.concurrent = 3;
  options.concurrent_per_principal = 3;
  options.per_host = {.count = 1, .period = 1h};
  Limiter limiter{options};
  ASSERT_TRUE(enter(limiter));

  for (int i = 0; i < 9; ++i) EXPECT_NE(refusal(limiter), "");

  EXPECT_TRUE(enter(limiter, {.url = "https://other.example/"}));
}

TEST(Limiter, HoldsPathsByRuleInWhateverSpelling) {
  auto options = unlimited();
  options.per_path = {
      {.host = "*.example", .path_prefix = "/v1", .rate = {.count = 1, .period = 1h}}};
  Limiter limiter{options};
  ASSERT_TRUE(enter(limiter));

  EXPECT_EQ(refusal(limiter),
            "Too many calls to *.example/v1: at most 1 per hour. Try again in 3600 s.");
  EXPECT_NE(refusal(limiter, {.url = "https://api.example/%76%31/x"}), "");
  EXPECT_NE(refusal(limiter, {.url = "https://b.example/v1"}), "") << "one bucket per rule";
  EXPECT_EQ(refusal(limiter, {.url = "https://api.example/v10"}), "");
  EXPECT_EQ(refusal(limiter, {.url = "https://api.other/v1"}), "");
}

// Whatever the times at which calls come: in any window no more than the burst and what flowed in.
TEST(Limiter, NeverAllowsMoreThanCountAndWhatFlowedInInAnyWindow) {
  std::mt19937_64 random{7};
  for (std::size_t const count : {1UL, 3UL, 7UL, 100UL}) {
    auto options = unlimited();
    options.per_host = {.count = count, .period = 1s};
    Limiter limiter{options};
    std::vector<TimePoint> allowed;
    auto now = kStart;
    for (int i = 0; i < 3000; ++i) {
      now += std::chrono::nanoseconds{random() % (2'500'000'000ULL / count) * (random() % 2)};
      if (refusal(limiter, {}, now).empty()) allowed.push_back(now);
    }

    ASSERT_GT(allowed.size(), count * 2);
    for (std::size_t i = 0; i < allowed.size(); ++i) {
      for (auto j = i; j < std::min(allowed.size(), i + 4 * count); ++j) {
        auto const window = std::chrono::duration<double>{allowed[j] - allowed[i]}.count();
        ASSERT_LE(static_cast<double>(j - i + 1), static_cast<double>(count) * (1 + window) + 1e-3);
      }
    }
  }
}

TEST(Limiter, ForgetsFullBucketsOnlySoThatNewKeysGiveNoTokensBack) {
  auto options = unlimited();
  options.keys = 8;
  options.per_principal = {.count = 2, .period = 1h};
  Limiter limiter{options};
  ASSERT_TRUE(enter(limiter, {.principal = "abuser"}));
  ASSERT_TRUE(enter(limiter, {.principal = "abuser"}));

  for (int i = 0; i < 100; ++i) {
    (void)refusal(limiter, {.principal = std::to_string(i)}, kStart + std::chrono::minutes{i / 4});
  }

  EXPECT_NE(refusal(limiter, {.principal = "abuser"}, kStart + 29min), "");
  EXPECT_EQ(refusal(limiter, {.principal = "abuser"}, kStart + 30min), "");
}

TEST(Limiter, TakesNewKeysInAgainOnceOldBucketsAreFull) {
  auto options = unlimited();
  options.keys = 4;
  options.per_principal = {.count = 60, .period = 1h};
  Limiter limiter{options};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(refusal(limiter, {.principal = std::to_string(i)}), "");

  EXPECT_EQ(refusal(limiter, {.principal = "new"}),
            "Too many different callers and hosts at once. Try again in a moment.");
  EXPECT_NE(refusal(limiter, {.principal = "new"}, kStart + 59s), "");
  EXPECT_EQ(refusal(limiter, {.principal = "new"}, kStart + 60s), "");
}

TEST(Limiter, CountsWhatBelongsToACallForTheHostOnlyAndRefusesItNever) {
  auto options = unlimited();
  options.per_host = {2, 2s};
  options.per_principal = {100, 1s};
  options.concurrent_per_host = 1;
  Limiter limiter{options};
  auto const url = *url::Url::parse("https://api.example/robots.txt");
  auto first = enter(limiter);
  ASSERT_TRUE(first);

  limiter.count({.principal = "ada", .tool = "fetch", .url = url, .now = kStart});
  limiter.count({.principal = "ada", .tool = "fetch", .url = url, .now = kStart});

  *first = Limiter::Slot{};
  EXPECT_EQ(refusal(limiter),
            "Too many calls to api.example: at most 2 per 2000 ms. Try again in 2.0 s.");
  EXPECT_EQ(refusal(limiter, {.url = "https://other.example/"}), "");
  EXPECT_EQ(refusal(limiter, {}, kStart + 2s), "");
}

TEST(LimitTable, RemembersNobodyWhoIsDoneAndHasNoRate) {
  LimitTable table{100};
  std::vector<Limit> const limits{{.key = "a", .subject = "", .rate = {}, .concurrent = 2},
                                  {.key = "b", .subject = "", .rate = {}, .concurrent = 2}};
  ASSERT_TRUE(table.enter(limits, kStart));
  EXPECT_EQ(table.size(), 2U);

  table.leave(limits);

  EXPECT_EQ(table.size(), 0U);
}

TEST(LimitTable, KeepsWithinItsBound) {
  LimitTable table{2048};
  for (int i = 0; i < 20'000; ++i) {
    std::vector<Limit> const limits{
        {.key = std::to_string(i), .subject = "", .rate = {.count = 1, .period = 1h}}};
    if (table.enter(limits, kStart)) table.leave(limits);
  }

  EXPECT_LE(table.size(), 2048U);
  EXPECT_GT(table.size(), 1024U);
}

TEST(Limiter, ASlotMayOutliveItsLimiter) {
  Limiter::Slot slot;
  {
    Limiter limiter{{}};
    slot = *enter(limiter);
  }
}

TEST(Limiter, HoldsItsCountsWhenManyThreadsComeAndGo) {
  auto options = unlimited();
  options.concurrent = 6;
  options.concurrent_per_principal = 3;
  options.concurrent_per_host = 4;
  options.per_tool = {.count = 500, .period = 1h};
  Limiter limiter{options};
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> allowed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      Call const call{.principal = std::to_string(t % 2),
                      .url = t % 3 ? "https://a.example/" : "https://b.example/"};
      for (int i = 0; i < 400; ++i) {
        auto slot = enter(limiter, call);
        if (!slot) continue;
        allowed.fetch_add(1);
        auto const now = inside.fetch_add(1) + 1;
        auto seen = most.load();
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        std::this_thread::yield();
        inside.fetch_sub(1);
      }
    });
  }
  for (auto& thread : threads) thread.join();

  EXPECT_LE(most.load(), 6);
  EXPECT_LE(allowed.load(), 500);
  EXPECT_TRUE(enter(limiter, {.tool = "other"})) << "all places were given back";
}

}  // namespace
}  // namespace sallyport::pipeline
