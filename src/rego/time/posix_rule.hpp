// How a zone goes on after the last transition that is listed: "CET-1CEST,M3.5.0,M10.5.0/3".
//
// POSIX's TZ with the extensions of RFC 8536, section 3.3.1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::rego::time {

struct ZoneSpan;

class PosixRule {
 public:
  static std::optional<PosixRule> parse(std::string_view text);

  // `last` is the last transition before which this rule says nothing.
  ZoneSpan at(std::int64_t seconds, std::int64_t last) const;

 private:
  friend class PosixReader;

  struct Change {
    enum class By : std::uint8_t { JulianDay, DayOfYear, Weekday };
    By by{By::Weekday};
    int month{1};
    int week{1};
    int day{0};
    std::int64_t time{2L * 3600};

    // Seconds from the start of the year, in local time.
    std::int64_t in_year(std::int64_t year) const noexcept;
  };
  struct Side {
    std::string abbreviation;
    int offset{0};
  };

  Side standard_;
  std::optional<Side> daylight_;
  Change begin_;
  Change end_;
};

}  // namespace sallyport::rego::time
