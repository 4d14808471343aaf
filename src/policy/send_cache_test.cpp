#include "src/policy/send_cache.hpp"

#include <gtest/gtest.h>

namespace sallyport::policy {
namespace {

using namespace std::chrono_literals;

http::WallTime const kNow = std::chrono::sys_days{std::chrono::year{2026} / 5 / 1};

std::optional<std::chrono::seconds> lifetime(http::Headers const& headers) {
  return stated_lifetime(headers, kNow);
}

TEST(SendCache, KeepsAnswersAsLongAsTheirFieldsSay) {
  EXPECT_EQ(lifetime({{"Cache-Control", "max-age=60"}}), 60s);
  EXPECT_EQ(lifetime({{"Cache-Control", "max-age=60"}, {"Age", "20"}}), 40s);
  EXPECT_EQ(lifetime({{"Expires", "Fri, 01 May 2026 00:00:30 GMT"}}), 30s);
  EXPECT_EQ(
      lifetime({{"Cache-Control", "max-age=5"}, {"Expires", "Fri, 01 May 2026 00:00:30 GMT"}}), 5s);
  EXPECT_EQ(lifetime({}), std::nullopt);
  EXPECT_EQ(lifetime({{"Expires", "0"}}), std::nullopt);
  EXPECT_EQ(lifetime({{"Cache-Control", "max-age=0"}}), std::nullopt);
  EXPECT_EQ(lifetime({{"Cache-Control", "no-store, max-age=60"}}), std::nullopt);
  EXPECT_EQ(lifetime({{"Cache-Control", "no-cache, max-age=60"}}), std::nullopt);
}

TEST(SendCache, ForgetsWhatHasEnded) {
  SendCache cache;
  auto const now = Clock::now();
  cache.keep("a", {.body = "1"}, now + 10s);

  ASSERT_NE(cache.find("a", now + 9s), nullptr);
  EXPECT_EQ(cache.find("a", now + 9s)->body, "1");
  EXPECT_EQ(cache.find("b", now), nullptr);
  EXPECT_EQ(cache.find("a", now + 10s), nullptr);
  EXPECT_EQ(cache.find("a", now), nullptr);
}

TEST(SendCache, TheLatestAnswerCounts) {
  SendCache cache;
  auto const now = Clock::now();
  cache.keep("a", {.body = "1"}, now + 10s);
  cache.keep("a", {.body = "2"}, now + 10s);

  EXPECT_EQ(cache.find("a", now)->body, "2");
}

TEST(SendCache, IsBoundedInBytesAndNumber) {
  auto const now = Clock::now();
  SendCache few{1'000'000, 2};
  few.keep("a", {}, now + 30s);
  few.keep("b", {}, now + 10s);
  few.keep("c", {}, now + 20s);
  EXPECT_NE(few.find("a", now), nullptr);
  EXPECT_EQ(few.find("b", now), nullptr);
  EXPECT_NE(few.find("c", now), nullptr);

  SendCache small{10'000, 100};
  small.keep("huge", {.body = std::string(20'000, 'x')}, now + 30s);
  EXPECT_EQ(small.find("huge", now), nullptr);
  small.keep("a", {.body = std::string(6'000, 'x')}, now + 10s);
  small.keep("b", {.body = std::string(6'000, 'x')}, now + 30s);
  EXPECT_EQ(small.find("a", now), nullptr);
  EXPECT_NE(small.find("b", now), nullptr);
}

}  // namespace
}  // namespace sallyport::policy
