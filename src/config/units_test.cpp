#include "src/config/units.hpp"

#include <gtest/gtest.h>

namespace sallyport::config {
namespace {

using namespace std::chrono_literals;

TEST(Durations, AreReadInEveryUnit) {
  struct Case {
    std::string_view text;
    std::chrono::milliseconds expected;
  };
  for (auto const& [text, expected] : {Case{"250ms", 250ms}, Case{"15s", 15s}, Case{"5m", 5min},
                                       Case{"1h", 1h}, Case{"2d", 48h}, Case{"0", 0ms}}) {
    auto const duration = parse_duration(text);

    ASSERT_TRUE(duration) << text;
    EXPECT_EQ(*duration, expected) << text;
  }
}

TEST(Durations, NeedANumberAndAUnitAndNothingElse) {
  for (std::string_view const text : {"", "15", "s", "15 s", "-1s", "1.5s", "15S", "1h30m", "0x1s",
                                      "99999999999999999999s", "9223372036854775807d"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Sizes, AreReadInBinaryAndDecimalUnits) {
  struct Case {
    std::string_view text;
    std::uint64_t expected;
  };
  for (auto const& [text, expected] :
       {Case{"100000", 100'000}, Case{"16KiB", 16'384}, Case{"4MiB", 4'194'304},
        Case{"1GiB", 1'073'741'824}, Case{"10kB", 10'000}, Case{"1MB", 1'000'000}, Case{"7B", 7}}) {
    auto const size = parse_size(text);

    ASSERT_TRUE(size) << text;
    EXPECT_EQ(*size, expected) << text;
  }
}

TEST(Sizes, RefuseWhatIsNotASize) {
  for (std::string_view const text : {"", "MiB", "4 MiB", "-4", "4mib", "99999999999GiB", "1e3"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(Switches, AreReadInAnyCase) {
  for (std::string_view const text : {"true", "True", "YES", "on", "1"}) {
    EXPECT_TRUE(parse_switch(text).value()) << text;
  }
  for (std::string_view const text : {"false", "False", "NO", "off", "0"}) {
    EXPECT_FALSE(parse_switch(text).value()) << text;
  }
  EXPECT_FALSE(parse_switch("maybe"));
  EXPECT_FALSE(parse_switch(""));
}

TEST(Units, ReadBackWhatTheyWrite) {
  for (auto const duration : {0ms, 1ms, 999ms, 1000ms, 75'000ms, 300'000ms, 86'400'000ms}) {
    EXPECT_EQ(parse_duration(format_duration(duration)).value(), duration) << duration.count();
  }
  for (std::uint64_t const size : {0ULL, 1ULL, 1000ULL, 1024ULL, 4194304ULL, 4194305ULL}) {
    EXPECT_EQ(parse_size(format_size(size)).value(), size);
  }
}

}  // namespace
}  // namespace sallyport::config
