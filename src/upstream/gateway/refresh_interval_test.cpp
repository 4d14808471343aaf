#include "src/upstream/gateway/refresh_interval.hpp"

#include <gtest/gtest.h>

namespace sallyport::upstream {
namespace {

using namespace std::chrono_literals;

TEST(RefreshInterval, IsWhatTheServerSaysButNotAnyShorterThanHalfAMinute) {
  EXPECT_EQ(refresh_interval(0ms), 5min);
  EXPECT_EQ(refresh_interval(1ms), 30s);
  EXPECT_EQ(refresh_interval(2h), 2h);
}

}  // namespace
}  // namespace sallyport::upstream
