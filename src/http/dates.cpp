#include "src/http/dates.hpp"

#include "src/http/chars.hpp"
#include "src/http/message.hpp"

#include <algorithm>
#include <array>

namespace sallyport::http {
namespace {

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                "Thursday", "Friday", "Saturday"};

// Month by its first three letters, from 1; 0 when it is none.
unsigned month_number(std::string_view text) {
  if (text.size() < 3) return 0;
  for (unsigned i = 0; i < kMonths.size(); ++i) {
    if (equals_ignoring_case(text.substr(0, 3), kMonths[i])) return i + 1;
  }
  return 0;
}

std::optional<int> digits(std::string_view text, std::size_t fewest, std::size_t most) {
  if (text.size() < fewest || text.size() > most || !std::ranges::all_of(text, is_digit)) {
    return std::nullopt;
  }
  int value = 0;
  for (char const c : text) value = value * 10 + (c - '0');
  return value;
}

struct TimeOfDay {
  int hour{0};
  int minute{0};
  int second{0};
};

std::optional<WallTime> point(int year, unsigned month, int day, TimeOfDay time) {
  // A leap second counts as the one before it: this calendar has none.
  if (time.hour > 23 || time.minute > 59 || time.second > 60) return std::nullopt;
  std::chrono::year_month_day const date{std::chrono::year{year}, std::chrono::month{month},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days{date} + std::chrono::hours{time.hour} +
         std::chrono::minutes{time.minute} + std::chrono::seconds{std::min(time.second, 59)};
}

// "08:49:37"
std::optional<TimeOfDay> clock_time(std::string_view text) {
  if (text.size() != 8 || text[2] != ':' || text[5] != ':') return std::nullopt;
  auto const hour = digits(text.substr(0, 2), 2, 2);
  auto const minute = digits(text.substr(3, 2), 2, 2);
  auto const second = digits(text.substr(6, 2), 2, 2);
  if (!hour || !minute || !second) return std::nullopt;
  return TimeOfDay{*hour, *minute, *second};
}

bool is_day_name(std::string_view text, bool whole) {
  return std::ranges::any_of(
      kDays, [&](std::string_view day) { return text == (whole ? day : day.substr(0, 3)); });
}

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<WallTime> fixed_date(std::string_view text) {
  if (text.size() != 29 || !is_day_name(text.substr(0, 3), false) || text.substr(3, 2) != ", " ||
      text[7] != ' ' || text[11] != ' ' || text[16] != ' ' || text.substr(25) != " GMT") {
    return std::nullopt;
  }
  auto const day = digits(text.substr(5, 2), 2, 2);
  auto const month = month_number(text.substr(8, 3));
  auto const year = digits(text.substr(12, 4), 4, 4);
  auto const time = clock_time(text.substr(17, 8));
  if (!day || month == 0 || !year || !time) return std::nullopt;
  return point(*year, month, *day, *time);
}

// "Sunday, 06-Nov-94 08:49:37 GMT": a year that seems more than 50 years ahead is of the century
// before.
std::optional<WallTime> rfc850_date(std::string_view text, WallTime now) {
  auto const comma = text.find(',');
  if (comma == std::string_view::npos || !is_day_name(text.substr(0, comma), true)) {
    return std::nullopt;
  }
  auto const rest = text.substr(comma);
  if (rest.size() != 24 || rest[1] != ' ' || rest[4] != '-' || rest[8] != '-' || rest[11] != ' ' ||
      rest.substr(20) != " GMT") {
    return std::nullopt;
  }
  auto const day = digits(rest.substr(2, 2), 2, 2);
  auto const month = month_number(rest.substr(5, 3));
  auto const year = digits(rest.substr(9, 2), 2, 2);
  auto const time = clock_time(rest.substr(12, 8));
  if (!day || month == 0 || !year || !time) return std::nullopt;
  std::chrono::year_month_day const today{std::chrono::floor<std::chrono::days>(now)};
  auto const this_year = static_cast<int>(today.year());
  auto full = this_year - this_year % 100 + *year;
  if (full > this_year + 50) full -= 100;
  return point(full, month, *day, *time);
}

// "Sun Nov  6 08:49:37 1994"
std::optional<WallTime> asctime_date(std::string_view text) {
  if (text.size() != 24 || !is_day_name(text.substr(0, 3), false) || text[3] != ' ' ||
      text[7] != ' ' || text[10] != ' ' || text[19] != ' ') {
    return std::nullopt;
  }
  auto const month = month_number(text.substr(4, 3));
  auto const day = digits(trimmed(text.substr(8, 2)), 1, 2);
  auto const time = clock_time(text.substr(11, 8));
  auto const year = digits(text.substr(20), 4, 4);
  if (month == 0 || !day || !time || !year) return std::nullopt;
  return point(*year, month, *day, *time);
}

bool is_cookie_delimiter(char c) {
  auto const byte = static_cast<unsigned char>(c);
  return byte == 0x09 || (byte >= 0x20 && byte <= 0x2F) || (byte >= 0x3B && byte <= 0x40) ||
         (byte >= 0x5B && byte <= 0x60) || (byte >= 0x7B && byte <= 0x7E);
}

// Takes up to `most` digits off the front; fails when there are fewer than `fewest`, or more than
// `most` in a row.
std::optional<int> take_digits(std::string_view& text, std::size_t fewest, std::size_t most) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  if (count < fewest || count > most) return std::nullopt;
  auto const value = digits(text.substr(0, count), fewest, most);
  text.remove_prefix(count);
  return value;
}

// What follows the last digit does not count, as the grammar of the RFC has it.
std::optional<TimeOfDay> cookie_time(std::string_view text) {
  auto const hour = take_digits(text, 1, 2);
  if (!hour || !text.starts_with(':')) return std::nullopt;
  text.remove_prefix(1);
  auto const minute = take_digits(text, 1, 2);
  if (!minute || !text.starts_with(':')) return std::nullopt;
  text.remove_prefix(1);
  auto const second = take_digits(text, 1, 2);
  if (!second) return std::nullopt;
  return TimeOfDay{*hour, *minute, *second};
}

struct CookieDate {
  std::optional<TimeOfDay> time;
  std::optional<int> day;
  unsigned month{0};
  std::optional<int> year;

  void take(std::string_view token) {
    if (!time && (time = cookie_time(token))) return;
    auto rest = token;
    if (!day && (day = take_digits(rest, 1, 2))) return;
    if (month == 0 && (month = month_number(token)) != 0) return;
    rest = token;
    if (!year) year = take_digits(rest, 2, 4);
  }
};

}  // namespace

std::optional<WallTime> parse_http_date(std::string_view text, WallTime now) {
  if (auto const date = fixed_date(text)) return date;
  if (auto const date = rfc850_date(text, now)) return date;
  return asctime_date(text);
}

std::optional<WallTime> parse_cookie_date(std::string_view text) {
  CookieDate found;
  while (!text.empty()) {
    auto const start = std::ranges::find_if_not(text, is_cookie_delimiter);
    auto const end = std::find_if(start, text.end(), is_cookie_delimiter);
    if (start != end) found.take({start, end});
    text = {end, text.end()};
  }
  if (!found.time || !found.day || found.month == 0 || !found.year) return std::nullopt;
  auto year = *found.year;
  if (year >= 70 && year <= 99) year += 1900;
  if (year >= 0 && year <= 69) year += 2000;
  if (year < 1601 || found.time->second > 59) return std::nullopt;
  return point(year, found.month, *found.day, *found.time);
}

}  // namespace sallyport::http
