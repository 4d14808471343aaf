#include "src/http/dates.hpp"

#include <gtest/gtest.h>

namespace sallyport::http {
namespace {

using namespace std::chrono;

constexpr WallTime kThen = sys_days{1994y / November / 6} + 8h + 49min + 37s;
constexpr WallTime kToday = sys_days{2026y / March / 1};

TEST(HttpDate, ReadsTheThreeForms) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", kToday), kThen);
  EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", kToday), kThen);
  EXPECT_EQ(parse_http_date("Sun Nov  6 08:49:37 1994", kToday), kThen);
}

TEST(HttpDate, RefusesWhatIsNoneOfThem) {
  for (auto const* text :
       {"", "0", "-1", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT",
        "06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "1994-11-06T08:49:37Z"}) {
    EXPECT_FALSE(parse_http_date(text, kToday)) << text;
  }
}

TEST(HttpDate, AShortYearIsNotFarInTheFuture) {
  EXPECT_EQ(parse_http_date("Friday, 06-Nov-76 00:00:00 GMT", kToday),
            WallTime{sys_days{2076y / November / 6}});
  EXPECT_EQ(parse_http_date("Saturday, 06-Nov-77 00:00:00 GMT", kToday),
            WallTime{sys_days{1977y / November / 6}});
}

TEST(CookieDate, FindsItsPartsInAnyOrder) {
  for (auto const* text : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                           "Sun Nov  6 08:49:37 1994", "1994 november 6 8:49:37",
                           "08:49:37 06 Nov 94 whatever", "Nov/6/1994 8:49:37pm"}) {
    EXPECT_EQ(parse_cookie_date(text), kThen) << text;
  }
}

TEST(CookieDate, FailsWithoutAllOfItsParts) {
  for (auto const* text :
       {"", "Nov 1994 08:49:37", "06 Nov 1994", "06 Nov 08:49:37", "0", "06 Nov 1600 08:49:37",
        "06 Nov 1994 08:49:60", "31 Feb 1994 00:00:00", "06 Nov 1994 123:49:37"}) {
    EXPECT_FALSE(parse_cookie_date(text)) << text;
  }
}

}  // namespace
}  // namespace sallyport::http
