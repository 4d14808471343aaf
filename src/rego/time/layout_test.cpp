#include "src/rego/time/layout.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego::time {
namespace {

constexpr Instant kNoon{.seconds = 1'670'006'453, .nanoseconds = 141'828'752};

TEST(TimeFormat, WritesEachElementOfALayout) {
  struct Case {
    char const* layout;
    char const* text;
  };
  for (auto const& [layout, text] : std::initializer_list<Case>{
           {"2006-01-02T15:04:05.999999999Z07:00", "2022-12-02T18:40:53.141828752Z"},
           {"Monday Mon January Jan 1 01 2 02 _2 002 __2",
            "Friday Fri December Dec 12 12 2 02  2 336 336"},
           {"15 3 03 4 04 5 05 PM pm", "18 6 06 40 40 53 53 PM pm"},
           {"2006 06 _2006", "2022 22 _2022"},
           {".000 ,000000 .9 .99999999999", ".141 ,141828 .1 .141828752"},
           {"-07 -0700 -07:00 -070000 -07:00:00", "+00 +0000 +00:00 +000000 +00:00:00"},
           {"Z07 Z0700 Z07:00 Z070000 Z07:00:00", "Z Z Z Z Z"},
           {"MST", "UTC"},
           {"Month Janus PX .0001", "Month Janus PX .0012"},
           {"", ""},
       }) {
    EXPECT_EQ(format(kNoon, Zone::utc(), layout), text) << layout;
  }
}

TEST(TimeFormat, FollowsTheZone) {
  auto const* const zone = find_zone("Asia/Kolkata").zone;
  ASSERT_NE(zone, nullptr);

  EXPECT_EQ(format(kNoon, *zone, named_layout("RFC1123Z")), "Sat, 03 Dec 2022 00:10:53 +0530");
  EXPECT_EQ(format(kNoon, *zone, named_layout("UnixDate")), "Sat Dec  3 00:10:53 IST 2022");
}

TEST(TimeParse, ReadsWhatFormatWrites) {
  for (auto const* const name : {"ANSIC", "UnixDate", "RubyDate", "RFC850", "RFC1123", "RFC1123Z",
                                 "RFC3339", "RFC3339Nano", "2006-002 15:04:05"}) {
    auto const text = format(kNoon, Zone::utc(), named_layout(name));

    auto const parsed = parse(named_layout(name), text);

    EXPECT_EQ(parsed.problem, "") << text;
    EXPECT_EQ(parsed.instant.seconds, kNoon.seconds) << name;
  }
}

TEST(TimeParse, TakesAFractionWhereTheLayoutHasNone) {
  auto const parsed = parse("2006-01-02T15:04:05Z07:00", "2017-06-02T19:00:00,1234567891-07:00");

  EXPECT_EQ(parsed.problem, "");
  EXPECT_EQ(parsed.instant.seconds, 1'496'455'200);
  EXPECT_EQ(parsed.instant.nanoseconds, 123'456'789);
}

TEST(TimeParse, SaysWhatIsWrongAsGoDoes) {
  struct Case {
    char const* layout;
    char const* text;
    char const* problem;
  };
  for (auto const& [layout, text, problem] : std::initializer_list<Case>{
           {"2006-01-02", "2021-13-01", R"(parsing time "2021-13-01": month out of range)"},
           {"2006-01-02", "2021-02-29", R"(parsing time "2021-02-29": day out of range)"},
           {"2006-01-02", "x", R"(parsing time "x" as "2006-01-02": cannot parse "x" as "2006")"},
           {"2006-01-02", "2021/01/02",
            R"(parsing time "2021/01/02" as "2006-01-02": cannot parse "/01/02" as "-")"},
           {"2006", "2021 ", R"(parsing time "2021 ": extra text: " ")"},
           {"15:04", "24:00", R"(parsing time "24:00": hour out of range)"},
           {"15:04:05", "23:59:60", R"(parsing time "23:59:60": second out of range)"},
           {"2006 002", "2021 366", R"(parsing time "2021 366": day-of-year out of range)"},
           {"2006 002 Jan", "2021 060 Feb",
            R"(parsing time "2021 060 Feb": day-of-year does not match month)"},
           {"Z07:00", "+25:00", R"(parsing time "+25:00": time zone offset hour out of range)"},
           {"Z07:00", "+0\n:00",
            R"(parsing time "+0\x0a:00" as "Z07:00": cannot parse "+0\x0a:00" as "Z07:00")"},
           {"05.000", "01.-12", R"(parsing time "01.-12": fractional second out of range)"},
           {"MST", "ab", R"(parsing time "ab" as "MST": cannot parse "ab" as "MST")"},
       }) {
    EXPECT_EQ(parse(layout, text).problem, problem) << layout;
  }
}

TEST(TimeParse, ReadsTwoDigitYearsAndHalvesOfTheDay) {
  EXPECT_EQ(parse("06", "69").instant.seconds, -31'536'000);
  EXPECT_EQ(parse("06", "68").instant.seconds, 3'092'601'600);
  EXPECT_EQ(parse("2006 3PM", "1970 12AM").instant.seconds, 0);
  EXPECT_EQ(parse("2006 3pm", "1970 12pm").instant.seconds, 43'200);
}

TEST(TimeParse, GivesUnknownAbbreviationsNoOffset) {
  for (auto const* const text : {"1970 PST", "1970 GMT+3", "1970 +03", "1970 CHADT", "1970 WITA"}) {
    EXPECT_EQ(parse("2006 MST", text).problem, "") << text;
    EXPECT_EQ(parse("2006 MST", text).instant.seconds, 0) << text;
  }
}

TEST(TimeParse, SurvivesAnyPairOfShortTexts) {
  static constexpr std::string_view kPieces[] = {"",   "2006", "05",        ".000", ".999",
                                                 "_2", "__2",  "-07:00:00", "Z07",  "MST",
                                                 "PM", "Jan",  "+",         " ",    "\xff"};
  for (auto const layout : kPieces) {
    for (auto const first : kPieces) {
      for (auto const second : kPieces) {
        parse(std::string{layout} + std::string{first}, std::string{first} + std::string{second});
      }
    }
  }
}

}  // namespace
}  // namespace sallyport::rego::time
