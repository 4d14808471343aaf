// Dates of the proleptic Gregorian calendar, without time zones.
//
// Years here are bounded by what callers check (-1,000,000 to 1,000,000), so nothing overflows.
#pragma once

#include <cstdint>
#include <string_view>

namespace sallyport::rego::time {

struct Date {
  std::int64_t year{1970};
  int month{1};
  int day{1};
};

// Of the day; seconds never reach 60: leap seconds do not exist.
struct Clock {
  int hour{0};
  int minute{0};
  int second{0};
};

// Since the epoch, in UTC. Nanoseconds are never negative.
struct Instant {
  std::int64_t seconds{0};
  std::int32_t nanoseconds{0};
};

inline constexpr std::int64_t kSecondsPerDay = 86'400;

bool is_leap(std::int64_t year) noexcept;
int days_in(int month, std::int64_t year) noexcept;

// Days since 1970-01-01. `day` may lie outside of the month: it is counted on.
std::int64_t days_of(std::int64_t year, int month, std::int64_t day) noexcept;
Date date_of(std::int64_t days) noexcept;
int weekday_of(std::int64_t days) noexcept;  // 0: Sunday
int day_of_year(Date const& date) noexcept;  // from 1

// Of seconds in some local time.
std::int64_t day_number(std::int64_t seconds) noexcept;
Clock clock_of(std::int64_t seconds) noexcept;

Instant instant_of(std::int64_t nanoseconds) noexcept;

std::string_view month_name(int month) noexcept;      // 1: January
std::string_view weekday_name(int weekday) noexcept;  // 0: Sunday

}  // namespace sallyport::rego::time
