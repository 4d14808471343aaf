#include "src/rego/time/civil.hpp"

#include <array>

namespace sallyport::rego::time {
namespace {

constexpr std::array<std::string_view, 12> kMonths{"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> kWeekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                    "Thursday", "Friday", "Saturday"};

std::int64_t floor_divide(std::int64_t value, std::int64_t by) noexcept {
  return value / by - (value % by < 0 ? 1 : 0);
}

}  // namespace

bool is_leap(std::int64_t year) noexcept {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int days_in(int month, std::int64_t year) noexcept {
  if (month == 2) return is_leap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// Years begin in March here, so that the leap day is the last one; eras are 400 years.
std::int64_t days_of(std::int64_t year, int month, std::int64_t day) noexcept {
  if (month <= 2) --year;
  auto const era = floor_divide(year, 400);
  auto const year_of_era = year - era * 400;
  auto const month_from_march = (month + 9) % 12;
  auto const day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
  auto const day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

Date date_of(std::int64_t days) noexcept {
  days += 719'468;
  auto const era = floor_divide(days, 146'097);
  auto const day_of_era = days - era * 146'097;
  auto const year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  auto const day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  auto const month_from_march = (5 * day_of_year + 2) / 153;
  Date date;
  date.day = static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  date.month =
      static_cast<int>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  date.year = year_of_era + era * 400 + (date.month <= 2 ? 1 : 0);
  return date;
}

int weekday_of(std::int64_t days) noexcept {
  auto const weekday = (days + 4) % 7;  // the epoch was a Thursday
  return static_cast<int>(weekday < 0 ? weekday + 7 : weekday);
}

int day_of_year(Date const& date) noexcept {
  return static_cast<int>(days_of(date.year, date.month, date.day) - days_of(date.year, 1, 1)) + 1;
}

std::int64_t day_number(std::int64_t seconds) noexcept {
  return floor_divide(seconds, kSecondsPerDay);
}

Clock clock_of(std::int64_t seconds) noexcept {
  auto const of_day = static_cast<int>(seconds - day_number(seconds) * kSecondsPerDay);
  return {.hour = of_day / 3600, .minute = of_day / 60 % 60, .second = of_day % 60};
}

Instant instant_of(std::int64_t nanoseconds) noexcept {
  // By remainder: the product of the seconds would not fit at the earliest instant.
  auto const rest = nanoseconds % 1'000'000'000;
  return {.seconds = floor_divide(nanoseconds, 1'000'000'000),
          .nanoseconds = static_cast<std::int32_t>(rest < 0 ? rest + 1'000'000'000 : rest)};
}

std::string_view month_name(int month) noexcept {
  return kMonths[static_cast<std::size_t>(month - 1)];
}

std::string_view weekday_name(int weekday) noexcept {
  return kWeekdays[static_cast<std::size_t>(weekday)];
}

}  // namespace sallyport::rego::time
