#include "src/rego/time/layout.hpp"

#include <array>
#include <charconv>
#include <optional>

namespace sallyport::rego::time {
namespace {

bool is_digit(std::string_view text, std::size_t at) noexcept {
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

bool is_fraction(std::string_view text) noexcept {
  return text.size() >= 2 && (text[0] == '.' || text[0] == ',') && is_digit(text, 1);
}

bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept {
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i] == right[i]) continue;
    auto const a = left[i] | 0x20;
    if (a != (right[i] | 0x20) || a < 'a' || a > 'z') return false;
  }
  return true;
}

// A sign and digits, nothing else; no digits are zero, as in Go.
std::optional<int> signed_number(std::string_view text) noexcept {
  auto const is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  int value = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text, i)) return std::nullopt;
    value = value * 10 + (text[i] - '0');  // nine digits at most
  }
  return is_negative ? -value : value;
}

// "+03", "-11": how long it is; 0 where it is none.
std::size_t signed_offset_length(std::string_view text) noexcept {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return 0;
  std::size_t end = 1;
  int hours = 0;
  for (; is_digit(text, end); ++end) {
    hours = hours * 10 + (text[end] - '0');
    if (hours > 23) return 0;
  }
  return end == 1 ? 0 : end;
}

// How much of the text looks like the abbreviation of a zone; 0: nothing.
std::size_t zone_name_length(std::string_view text) noexcept {
  if (text.size() < 3) return 0;
  if (text.starts_with("ChST") || text.starts_with("MeST")) return 4;
  if (text.starts_with("GMT")) return 3 + signed_offset_length(text.substr(3));
  if (text[0] == '+' || text[0] == '-') return signed_offset_length(text);
  std::size_t capitals = 0;
  while (capitals < 6 && capitals < text.size() && text[capitals] >= 'A' && text[capitals] <= 'Z') {
    ++capitals;
  }
  if (capitals == 3) return 3;
  if (capitals == 4 && (text[3] == 'T' || text.starts_with("WITA"))) return 4;
  return capitals == 5 && text[4] == 'T' ? 5 : 0;
}

class Parser {
 public:
  Parser(std::string_view layout, std::string_view text)
      : layout_{layout}, text_{text}, rest_{text} {}

  Parsed run() {
    auto layout = layout_;
    while (true) {
      auto const chunk = next_chunk(layout);
      if (!skip(chunk.before)) return fail_at(chunk.before, rest_);
      if (chunk.element == Element::None) break;
      layout = chunk.after;
      auto const before = rest_;
      auto const is_good = element(chunk);
      if (!out_of_range_.empty()) return fail(": " + std::string{out_of_range_} + " out of range");
      if (!is_good) return fail_at(chunk.text, before);
    }
    if (!rest_.empty()) return fail(": extra text: " + quote(rest_));
    return finish();
  }

 private:
  Parsed fail(std::string const& message) const {
    return {.problem = "parsing time " + quote(text_) + message};
  }

  Parsed fail_at(std::string_view element, std::string_view value) const {
    return fail(" as " + quote(layout_) + ": cannot parse " + quote(value) + " as " +
                quote(element));
  }

  static void cut_spaces(std::string_view& text) noexcept {
    while (text.starts_with(' ')) text.remove_prefix(1);
  }

  // Runs of spaces are equal to each other.
  bool skip(std::string_view plain) noexcept {
    while (!plain.empty()) {
      if (plain.front() == ' ') {
        if (!rest_.empty() && rest_.front() != ' ') return false;
        cut_spaces(plain);
        cut_spaces(rest_);
        continue;
      }
      if (rest_.empty() || rest_.front() != plain.front()) return false;
      plain.remove_prefix(1);
      rest_.remove_prefix(1);
    }
    return true;
  }

  std::string_view take(std::size_t count) noexcept {
    auto const taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  // At least one digit, at most `most`; where `is_fixed`, exactly that many.
  bool digits(std::size_t most, bool is_fixed, int& out) noexcept {
    std::size_t count = 0;
    int value = 0;
    for (; count < most && is_digit(rest_, count); ++count)
      value = value * 10 + (rest_[count] - '0');
    if (count == 0 || (is_fixed && count != most)) return false;
    out = value;
    rest_.remove_prefix(count);
    return true;
  }

  bool in_range(bool is_good, int value, int least, int most, std::string_view name) noexcept {
    if (is_good && (value < least || value > most)) out_of_range_ = name;
    return is_good;
  }

  template <class NameOf>
  bool name(int first, int count, std::size_t length, int& out, NameOf const name_of) noexcept {
    for (int i = first; i < first + count; ++i) {
      auto const wanted = name_of(i).substr(0, length);
      if (rest_.size() < wanted.size()) continue;
      if (!equal_ignoring_case(rest_.substr(0, wanted.size()), wanted)) continue;
      out = i;
      rest_.remove_prefix(wanted.size());
      return true;
    }
    return false;
  }

  bool element(Chunk const& chunk) {
    static constexpr auto kWhole = std::string_view::npos;
    int ignored = 0;
    switch (chunk.element) {
      case Element::None: return true;
      case Element::Year: return short_year();
      case Element::LongYear: return long_year();
      case Element::Month: return name(1, 12, 3, month_, month_name);
      case Element::LongMonth: return name(1, 12, kWhole, month_, month_name);
      case Element::NumberMonth: return in_range(digits(2, false, month_), month_, 1, 12, "month");
      case Element::ZeroMonth: return in_range(digits(2, true, month_), month_, 1, 12, "month");
      case Element::Weekday: return name(0, 7, 3, ignored, weekday_name);
      case Element::LongWeekday: return name(0, 7, kWhole, ignored, weekday_name);
      case Element::Day: return digits(2, false, day_);
      case Element::SpaceDay: return skip_spaces(1), digits(2, false, day_);
      case Element::ZeroDay: return digits(2, true, day_);
      case Element::SpaceYearDay: return skip_spaces(2), digits(3, false, year_day_);
      case Element::ZeroYearDay: return digits(3, true, year_day_);
      case Element::Hour: return in_range(digits(2, false, hour_), hour_, 0, 23, "hour");
      case Element::Hour12: return in_range(digits(2, false, hour_), hour_, 0, 12, "hour");
      case Element::ZeroHour12: return in_range(digits(2, true, hour_), hour_, 0, 12, "hour");
      case Element::Minute: return in_range(digits(2, false, minute_), minute_, 0, 59, "minute");
      case Element::ZeroMinute: return in_range(digits(2, true, minute_), minute_, 0, 59, "minute");
      case Element::Second: return second(false, chunk.after);
      case Element::ZeroSecond: return second(true, chunk.after);
      case Element::UpperPm: return half_of_day("AM", "PM");
      case Element::LowerPm: return half_of_day("am", "pm");
      case Element::ZoneName: return zone_name();
      case Element::Offset: return offset(chunk.offset);
      case Element::FractionZeros: return rest_.size() > chunk.digits && fraction(chunk.digits + 1);
      case Element::FractionNines: return !is_fraction(rest_) || fraction(fraction_length());
    }
    return false;
  }

  bool short_year() noexcept {
    if (rest_.size() < 2) return false;
    auto const year = signed_number(take(2));
    if (!year) return false;
    year_ = *year + (*year >= 69 ? 1900 : 2000);
    return true;
  }

  bool long_year() noexcept {
    if (rest_.size() < 4 || !is_digit(rest_, 0)) return false;
    auto const year = signed_number(take(4));
    if (year) year_ = *year;
    return year.has_value();
  }

  void skip_spaces(int most) noexcept {
    for (; most > 0 && rest_.starts_with(' '); --most) rest_.remove_prefix(1);
  }

  // A fraction may follow the seconds even where the layout has none.
  bool second(bool is_fixed, std::string_view layout_after) noexcept {
    if (!in_range(digits(2, is_fixed, second_), second_, 0, 59, "second")) return false;
    if (!out_of_range_.empty() || !is_fraction(rest_)) return true;
    auto const next = next_chunk(layout_after).element;
    if (next == Element::FractionZeros || next == Element::FractionNines) return true;
    return fraction(fraction_length());
  }

  std::size_t fraction_length() const noexcept {
    std::size_t length = 1;
    while (is_digit(rest_, length)) ++length;
    return length;
  }

  bool fraction(std::size_t length) noexcept {
    auto const taken = take(length);
    if (taken[0] != '.' && taken[0] != ',') return false;
    auto const kept = taken.substr(1, 9);
    auto const value = signed_number(kept);
    if (!value) return false;
    if (*value < 0) out_of_range_ = "fractional second";
    nanoseconds_ = *value;
    for (auto i = kept.size(); i < 9; ++i) nanoseconds_ *= 10;
    return true;
  }

  bool half_of_day(std::string_view morning, std::string_view evening) noexcept {
    if (rest_.size() < 2) return false;
    auto const half = take(2);
    if (half == evening) is_evening_ = true;
    if (half == morning) is_morning_ = true;
    return half == evening || half == morning;
  }

  bool zone_name() noexcept {
    if (rest_.starts_with("UTC")) {
      rest_.remove_prefix(3);
      is_utc_ = true;
      return true;
    }
    return !take(zone_name_length(rest_)).empty();
  }

  bool offset(OffsetStyle style) noexcept {
    if (style.has_z && rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      is_utc_ = true;
      return true;
    }
    auto const parts = 1U + (style.has_minutes ? 1U : 0U) + (style.has_seconds ? 1U : 0U);
    auto const length = 1 + 2 * parts + (style.has_colons ? parts - 1 : 0);
    if (rest_.size() < length) return false;
    auto const sign = rest_.front();
    std::array<int, 3> values{};
    for (std::size_t part = 0; part < parts; ++part) {
      auto const at = 1 + part * (style.has_colons ? 3 : 2);
      if (part > 0 && style.has_colons && rest_[at - 1] != ':') return false;
      if (!is_digit(rest_, at) || !is_digit(rest_, at + 1)) return false;
      values[part] = (rest_[at] - '0') * 10 + (rest_[at + 1] - '0');
    }
    rest_.remove_prefix(length);
    // A whole day and a whole hour are written by some.
    if (values[0] > 24) out_of_range_ = "time zone offset hour";
    if (values[1] > 60) out_of_range_ = "time zone offset minute";
    if (values[2] > 60) out_of_range_ = "time zone offset second";
    offset_ = (values[0] * 60 + values[1]) * 60 + values[2];
    if (sign == '-') offset_ = -offset_;
    return sign == '+' || sign == '-';
  }

  // Sets month and day; otherwise returns what is wrong.
  std::string_view apply_year_day() noexcept {
    auto const of_year = is_leap(year_) ? 366 : 365;
    if (year_day_ < 1 || year_day_ > of_year) return ": day-of-year out of range";
    auto const date = date_of(days_of(year_, 1, year_day_));
    if (month_ >= 0 && month_ != date.month) return ": day-of-year does not match month";
    if (day_ >= 0 && day_ != date.day) return ": day-of-year does not match day";
    month_ = date.month;
    day_ = date.day;
    return {};
  }

  Parsed finish() {
    if (is_evening_ && hour_ < 12) {
      hour_ += 12;
    } else if (is_morning_ && hour_ == 12) {
      hour_ = 0;
    }
    if (year_day_ >= 0) {
      if (auto const problem = apply_year_day(); !problem.empty())
        return fail(std::string{problem});
    }
    if (month_ < 0) month_ = 1;
    if (day_ < 0) day_ = 1;
    if (day_ < 1 || day_ > days_in(month_, year_)) return fail(": day out of range");
    auto seconds =
        days_of(year_, month_, day_) * kSecondsPerDay + hour_ * 3600 + minute_ * 60 + second_;
    if (!is_utc_) seconds -= offset_;
    return {.instant = {.seconds = seconds, .nanoseconds = nanoseconds_}};
  }

  std::string_view layout_;
  std::string_view text_;
  std::string_view rest_;
  std::string_view out_of_range_;

  int year_{0};
  int month_{-1};
  int day_{-1};
  int year_day_{-1};
  int hour_{0};
  int minute_{0};
  int second_{0};
  int nanoseconds_{0};
  int offset_{0};
  bool is_utc_{false};
  bool is_morning_{false};
  bool is_evening_{false};
};

}  // namespace

Parsed parse(std::string_view layout, std::string_view text) {
  return Parser{layout, text}.run();
}

}  // namespace sallyport::rego::time
