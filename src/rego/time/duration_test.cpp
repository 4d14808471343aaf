#include "src/rego/time/duration.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego::time {
namespace {

TEST(Duration, ReadsWhatGoReads) {
  struct Case {
    char const* text;
    std::int64_t nanoseconds;
  };
  for (auto const& [text, nanoseconds] : std::initializer_list<Case>{
           {"0", 0},
           {"-0", 0},
           {"100ms", 100'000'000},
           {"1h15m30.918s", 4'530'918'000'000},
           {"-1.5h", -5'400'000'000'000},
           {"+5us", 5'000},
           {"5\u00B5s5\u03BCs", 10'000},
           {".5s", 500'000'000},
           {"1.s", 1'000'000'000},
           {"0.100000000000000000000h", 360'000'000'000},
           {"9223372036854775807ns", 9'223'372'036'854'775'807},
           {"-9223372036854775808ns", -9'223'372'036'854'775'807 - 1},
       }) {
    EXPECT_EQ(parse_duration(text).problem, "") << text;
    EXPECT_EQ(parse_duration(text).nanoseconds, nanoseconds) << text;
  }
}

TEST(Duration, KnowsDaysWeeksAndYears) {
  struct Case {
    char const* text;
    std::int64_t hours;
  };
  for (auto const& [text, hours] : std::initializer_list<Case>{
           {"1d", 24}, {"1w", 168}, {"1y", 8760}, {"1d2h", 26}, {"-0.5d", -12}, {"2h1d", 26}}) {
    EXPECT_EQ(parse_duration(text).problem, "") << text;
    EXPECT_EQ(parse_duration(text).nanoseconds, hours * 3'600'000'000'000) << text;
  }
}

TEST(Duration, SaysWhatIsWrongAsGoDoes) {
  struct Case {
    char const* text;
    char const* problem;
  };
  for (auto const& [text, problem] : std::initializer_list<Case>{
           {"", R"(time: invalid duration "")"},
           {"-", R"(time: invalid duration "-")"},
           {"3", R"(time: missing unit in duration "3")"},
           {".s", R"(time: invalid duration ".s")"},
           {"1x", R"(time: unknown unit "x" in duration "1x")"},
           {"1d1x", R"(time: unknown unit "x" in duration "1d1x")"},
           {"1.2.3d", R"(time: invalid duration "1.2.3d")"},
           {"1 d", R"(time: invalid duration "1 d")"},
           {"d", R"(time: invalid duration "d")"},
           {"9223372036854775808ns", R"(time: invalid duration "9223372036854775808ns")"},
           {"3000000h", R"(time: invalid duration "3000000h")"},
           {"300y", R"(time: invalid duration "300y")"},
           {"99999999999999999999h", R"(time: invalid duration "99999999999999999999h")"},
       }) {
    EXPECT_EQ(parse_duration(text).problem, problem) << text;
  }
}

}  // namespace
}  // namespace sallyport::rego::time
