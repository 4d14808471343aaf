#include "src/base/iso_time.hpp"

#include <gtest/gtest.h>

namespace sallyport {
namespace {

using namespace std::chrono_literals;

TEST(IsoTime, ShowsMillisecondsInUtc) {
  std::chrono::system_clock::time_point const epoch;

  EXPECT_EQ(iso_time(epoch), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(iso_time(epoch + 1785240000s + 7ms), "2026-07-28T12:00:00.007Z");
  EXPECT_EQ(iso_time(epoch - 1ms), "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace sallyport
