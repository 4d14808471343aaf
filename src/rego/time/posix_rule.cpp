#include "src/rego/time/posix_rule.hpp"

#include "src/rego/time/civil.hpp"
#include "src/rego/time/zone.hpp"

#include <limits>
#include <utility>

namespace sallyport::rego::time {

class PosixReader {
 public:
  explicit PosixReader(std::string_view text) : rest_{text} {}

  std::optional<PosixRule> read() {
    PosixRule rule;
    if (!name(rule.standard_.abbreviation) || !offset(rule.standard_.offset)) return std::nullopt;
    if (at_end() || rest_.front() == ',') return rule;
    PosixRule::Side daylight;
    if (!name(daylight.abbreviation)) return std::nullopt;
    daylight.offset = rule.standard_.offset + 3600;
    if (!at_end() && rest_.front() != ',' && !offset(daylight.offset)) return std::nullopt;
    rule.daylight_ = std::move(daylight);
    if (at_end()) rest_ = ",M3.2.0,M11.1.0";
    if (!(take(',') || take(';')) || !change(rule.begin_)) return std::nullopt;
    if (!take(',') || !change(rule.end_) || !at_end()) return std::nullopt;
    return rule;
  }

 private:
  bool at_end() const noexcept { return rest_.empty(); }

  bool take(char c) noexcept {
    if (at_end() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool name(std::string& out) {
    if (take('<')) {
      auto const end = rest_.find('>');
      if (end == std::string_view::npos) return false;
      out = rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
      return true;
    }
    auto const end = std::min(rest_.find_first_of("0123456789,-+"), rest_.size());
    if (end < 3) return false;
    out = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return true;
  }

  bool number(int least, int most, int& out) noexcept {
    std::size_t digits = 0;
    out = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
      out = out * 10 + (rest_[digits] - '0');
      if (out > most) return false;
    }
    rest_.remove_prefix(digits);
    return digits > 0 && out >= least;
  }

  // [+-]hours[:minutes[:seconds]]
  bool duration(std::int64_t& out) noexcept {
    auto const is_negative = take('-');
    if (!is_negative) take('+');
    int hours = 0;
    int minutes = 0;
    int seconds = 0;
    if (!number(0, 24 * 7, hours)) return false;
    if (take(':')) {
      if (!number(0, 59, minutes)) return false;
      if (take(':') && !number(0, 59, seconds)) return false;
    }
    out = hours * 3600 + minutes * 60 + seconds;
    if (is_negative) out = -out;
    return true;
  }

  // POSIX counts to the west; everybody else to the east.
  bool offset(int& out) noexcept {
    std::int64_t seconds = 0;
    if (!duration(seconds)) return false;
    out = static_cast<int>(-seconds);
    return true;
  }

  bool change(PosixRule::Change& out) noexcept {
    using By = PosixRule::Change::By;
    if (take('J')) {
      out.by = By::JulianDay;
      if (!number(1, 365, out.day)) return false;
    } else if (take('M')) {
      out.by = By::Weekday;
      if (!number(1, 12, out.month) || !take('.')) return false;
      if (!number(1, 5, out.week) || !take('.') || !number(0, 6, out.day)) return false;
    } else {
      out.by = By::DayOfYear;
      if (!number(0, 365, out.day)) return false;
    }
    return !take('/') || duration(out.time);
  }

  std::string_view rest_;
};

std::optional<PosixRule> PosixRule::parse(std::string_view text) {
  return PosixReader{text}.read();
}

std::int64_t PosixRule::Change::in_year(std::int64_t year) const noexcept {
  std::int64_t days = day;  // since the first of January
  if (by == By::JulianDay) {
    days = day - 1 + (is_leap(year) && day >= 60 ? 1 : 0);
  } else if (by == By::Weekday) {
    auto const first = days_of(year, month, 1);
    auto in_month = (day - weekday_of(first) + 7) % 7;
    for (int i = 1; i < week && in_month + 7 < days_in(month, year); ++i) in_month += 7;
    days = first + in_month - days_of(year, 1, 1);
  }
  return days * kSecondsPerDay + time;
}

ZoneSpan PosixRule::at(std::int64_t seconds, std::int64_t last) const {
  if (!daylight_) {
    return {.abbreviation = standard_.abbreviation,
            .offset = standard_.offset,
            .start = last,
            .end = std::numeric_limits<std::int64_t>::max()};
  }
  auto const year = date_of(day_number(seconds)).year;
  auto const year_start = days_of(year, 1, 1) * kSecondsPerDay;
  auto begin = year_start + begin_.in_year(year) - standard_.offset;
  auto end = year_start + end_.in_year(year) - daylight_->offset;
  auto const* outer = &standard_;
  auto const* inner = &*daylight_;
  // South of the equator summer lies around the end of the year.
  if (end < begin) {
    std::swap(begin, end);
    std::swap(outer, inner);
  }
  // Where the span reaches into the next year, its far end is only roughly known. Only to_utc()
  // looks at it, near a transition.
  if (seconds < begin) return {outer->abbreviation, outer->offset, year_start, begin};
  if (seconds < end) return {inner->abbreviation, inner->offset, begin, end};
  return {outer->abbreviation, outer->offset, end, year_start + 365 * kSecondsPerDay};
}

}  // namespace sallyport::rego::time
