#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

using test::result;

TEST(TimeBuiltins, ReadTimesInNanoseconds) {
  EXPECT_EQ(result("time.parse_rfc3339_ns", R"(["2262-04-11T23:47:16.854775807-00:00"])"),
            "9223372036854775807");
  EXPECT_EQ(result("time.parse_rfc3339_ns", R"(["1677-09-21T00:12:43.145224192-00:00"])"),
            "-9223372036854775808");
  EXPECT_EQ(result("time.parse_ns", R"(["RFC822Z", "02 Jun 17 19:00 -0700"])"),
            "1496455200000000000");
  EXPECT_EQ(result("time.parse_duration_ns", R"(["1d1ms"])"), "86400001000000");
}

TEST(TimeBuiltins, RefuseWhatDoesNotFit) {
  EXPECT_EQ(result("time.parse_rfc3339_ns", R"(["2262-04-11T23:47:16.854775808-00:00"])"),
            "error: time outside of valid range");
  EXPECT_EQ(result("time.clock", "[1582977600000000000000]"), "error: timestamp too big");
  EXPECT_EQ(result("time.clock", "[1.5]"), "error: timestamp too big");
  EXPECT_EQ(result("time.add_date", "[0, 9223372036854775807, 0, 0]"),
            "error: time outside of valid range");
  EXPECT_EQ(result("time.add_date", "[-9223372036854775808, 0, 0, -1]"),
            "error: time outside of valid range");
  EXPECT_EQ(result("time.add_date", "[0, 1.5, 0, 0]"),
            "type error: operand 2 must be integer number but got floating-point number");
  EXPECT_EQ(result("time.date", R"([[0, "Mars/Base"]])"), "error: unknown time zone Mars/Base");
  EXPECT_EQ(
      result("time.date", R"(["now"])"),
      "type error: operand 1 must be either number (ns) or [number (ns), string (tz)] but got "
      "string");
}

TEST(TimeBuiltins, ShowTheDateAndTheClockOfAZone) {
  EXPECT_EQ(result("time.date", R"([[1517814000000000000, "America/Los_Angeles"]])"),
            "[2018, 2, 4]");
  EXPECT_EQ(result("time.clock", R"([[1517832000000000000, "America/New_York"]])"), "[7, 0, 0]");
  EXPECT_EQ(result("time.weekday", "[1517832000000000000]"), R"("Monday")");
  EXPECT_EQ(result("time.date", "[-1]"), "[1969, 12, 31]");
  EXPECT_EQ(result("time.clock", "[-1]"), "[23, 59, 59]");
}

TEST(TimeBuiltins, FormatAsTheLayoutSays) {
  EXPECT_EQ(result("time.format", "[1670006453141828752]"), R"("2022-12-02T18:40:53.141828752Z")");
  EXPECT_EQ(result("time.format", R"([[1670006453141828752, "Asia/Kolkata"]])"),
            R"("2022-12-03T00:10:53.141828752+05:30")");
  EXPECT_EQ(result("time.format", R"([[1670006453141828752, "Asia/Kolkata", "RFC1123Z"]])"),
            R"("Sat, 03 Dec 2022 00:10:53 +0530")");
}

TEST(TimeBuiltins, AddDatesAsCalendarsDo) {
  EXPECT_EQ(result("time.add_date", "[1585852421593912000, 3, 9, 12]"), "1705257221593912000");
  EXPECT_EQ(result("time.add_date", "[1585852421593912000, -1, -1, -1]"), "1551465221593912000");
  // A day around the change of the clocks has 23 hours.
  EXPECT_EQ(result("time.add_date", R"([[1711753200000000000, "Europe/Berlin"], 0, 0, 2])"),
            "1711922400000000000");
}

TEST(TimeBuiltins, DifferInPartsOfTheCalendar) {
  EXPECT_EQ(result("time.diff", "[0, 86399000000000]"), "[0, 0, 0, 23, 59, 59]");
  EXPECT_EQ(result("time.diff", "[86399000000000, 0]"), "[0, 0, 0, 23, 59, 59]");
  // From 31 January to 1 March 1970.
  EXPECT_EQ(result("time.diff", "[2592000000000000, 5097600000000000]"), "[0, 1, 1, 0, 0, 0]");
}

TEST(TimeBuiltins, NowIsWhatTheEvaluationSays) {
  test::BuiltinBench bench;
  bench.now = std::chrono::nanoseconds{42};

  EXPECT_EQ(bench.result("time.now_ns", "[]"), "42");
}

}  // namespace
}  // namespace sallyport::rego
