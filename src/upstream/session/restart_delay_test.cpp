#include "src/upstream/session/restart_delay.hpp"

#include <gtest/gtest.h>

namespace sallyport::upstream {
namespace {

using namespace std::chrono_literals;

TEST(RestartDelay, LetsAProgramThatEndedOnceStartAtOnce) {
  RestartDelay delay;
  auto const now = Clock::now();

  delay.ended(now - 1s, now);

  EXPECT_EQ(delay.left(now), 0ms);
}

TEST(RestartDelay, MakesOneThatKeepsEndingWaitLongerAndLonger) {
  RestartDelay delay;
  auto const now = Clock::now();
  std::vector<std::int64_t> waits;
  for (int i = 0; i < 12; ++i) {
    delay.ended(now, now);
    waits.push_back(delay.left(now).count());
  }

  EXPECT_EQ(waits, (std::vector<std::int64_t>{0, 500, 1'000, 2'000, 4'000, 8'000, 16'000, 30'000,
                                              30'000, 30'000, 30'000, 30'000}));
}

TEST(RestartDelay, ForgetsWhatWasBeforeALongLife) {
  RestartDelay delay;
  auto const now = Clock::now();
  for (int i = 0; i < 5; ++i) delay.ended(now, now);

  delay.ended(now - 61s, now);

  EXPECT_EQ(delay.left(now), 0ms);
}

}  // namespace
}  // namespace sallyport::upstream
