#include "src/rego/time/layout.hpp"

#include <cstdlib>

namespace sallyport::rego::time {
namespace {

void append_number(std::string& out, std::int64_t value, std::size_t width) {
  if (value < 0) out += '-';
  auto const digits = std::to_string(value < 0 ? -value : value);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

// A time as the clocks of its zone show it.
class Formatter {
 public:
  Formatter(Instant instant, Zone const& zone)
      : span_{zone.at(instant.seconds)},
        nanoseconds_{instant.nanoseconds},
        days_{day_number(instant.seconds + span_.offset)},
        date_{date_of(days_)},
        clock_{clock_of(instant.seconds + span_.offset)} {}

  void append(Chunk const& chunk, std::string& out) const {
    switch (chunk.element) {
      case Element::None: return;
      case Element::LongMonth: out += month_name(date_.month); return;
      case Element::Month: out += month_name(date_.month).substr(0, 3); return;
      case Element::NumberMonth: return append_number(out, date_.month, 0);
      case Element::ZeroMonth: return append_number(out, date_.month, 2);
      case Element::LongWeekday: out += weekday_name(weekday_of(days_)); return;
      case Element::Weekday: out += weekday_name(weekday_of(days_)).substr(0, 3); return;
      case Element::Day: return append_number(out, date_.day, 0);
      case Element::SpaceDay: return append_padded(out, date_.day, 2);
      case Element::ZeroDay: return append_number(out, date_.day, 2);
      case Element::SpaceYearDay: return append_padded(out, day_of_year(date_), 3);
      case Element::ZeroYearDay: return append_number(out, day_of_year(date_), 3);
      case Element::Hour: return append_number(out, clock_.hour, 2);
      case Element::Hour12: return append_number(out, hour12(), 0);
      case Element::ZeroHour12: return append_number(out, hour12(), 2);
      case Element::Minute: return append_number(out, clock_.minute, 0);
      case Element::ZeroMinute: return append_number(out, clock_.minute, 2);
      case Element::Second: return append_number(out, clock_.second, 0);
      case Element::ZeroSecond: return append_number(out, clock_.second, 2);
      case Element::LongYear: return append_number(out, date_.year, 4);
      case Element::Year: return append_number(out, std::abs(date_.year) % 100, 2);
      case Element::UpperPm: out += clock_.hour >= 12 ? "PM" : "AM"; return;
      case Element::LowerPm: out += clock_.hour >= 12 ? "pm" : "am"; return;
      case Element::ZoneName: return append_zone_name(out);
      case Element::Offset: return append_offset(chunk.offset, out);
      case Element::FractionZeros:
      case Element::FractionNines: return append_fraction(chunk, out);
    }
  }

 private:
  // Noon is 12 PM, midnight is 12 AM.
  int hour12() const noexcept { return clock_.hour % 12 == 0 ? 12 : clock_.hour % 12; }

  static void append_padded(std::string& out, int value, std::size_t width) {
    auto const digits = std::to_string(value);
    if (digits.size() < width) out.append(width - digits.size(), ' ');
    out += digits;
  }

  void append_zone_name(std::string& out) const {
    if (!span_.abbreviation.empty()) {
      out += span_.abbreviation;
      return;
    }
    append_offset({.has_minutes = true}, out);
  }

  void append_offset(OffsetStyle style, std::string& out) const {
    if (style.has_z && span_.offset == 0) {
      out += 'Z';
      return;
    }
    // Less than a minute west of Greenwich is written with a plus, as Go does.
    auto const is_negative = span_.offset / 60 < 0;
    auto const seconds = is_negative ? -span_.offset : span_.offset;
    auto const minutes = seconds / 60;
    out += is_negative ? '-' : '+';
    append_number(out, minutes / 60, 2);
    if (style.has_colons) out += ':';
    if (style.has_minutes) append_number(out, minutes % 60, 2);
    if (!style.has_seconds) return;
    if (style.has_colons) out += ':';
    append_number(out, seconds % 60, 2);
  }

  void append_fraction(Chunk const& chunk, std::string& out) const {
    auto const is_trimmed = chunk.element == Element::FractionNines;
    if (is_trimmed && (chunk.digits == 0 || nanoseconds_ == 0)) return;
    std::string digits;
    append_number(digits, nanoseconds_, 9);
    if (chunk.digits < 9) digits.resize(chunk.digits);
    if (is_trimmed) {
      digits.resize(digits.find_last_not_of('0') + 1);
      if (digits.empty()) return;
    }
    out += chunk.separator;
    out += digits;
  }

  ZoneSpan span_;
  std::int32_t nanoseconds_;
  std::int64_t days_;
  Date date_;
  Clock clock_;
};

}  // namespace

std::string format(Instant instant, Zone const& zone, std::string_view layout) {
  Formatter const formatter{instant, zone};
  std::string out;
  while (!layout.empty()) {
    auto const chunk = next_chunk(layout);
    out += chunk.before;
    if (chunk.element == Element::None) break;
    formatter.append(chunk, out);
    layout = chunk.after;
  }
  return out;
}

}  // namespace sallyport::rego::time
