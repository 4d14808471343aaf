// Layouts of Go's time package: a layout shows how the reference time, Mon Jan 2 15:04:05 MST 2006,
// would be written.
#pragma once

#include "src/rego/time/civil.hpp"
#include "src/rego/time/zone.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::rego::time {

enum class Element : std::uint8_t {
  None,  // the layout ends
  LongMonth,
  Month,
  NumberMonth,
  ZeroMonth,
  LongWeekday,
  Weekday,
  Day,
  SpaceDay,
  ZeroDay,
  SpaceYearDay,
  ZeroYearDay,
  Hour,
  Hour12,
  ZeroHour12,
  Minute,
  ZeroMinute,
  Second,
  ZeroSecond,
  LongYear,
  Year,
  UpperPm,
  LowerPm,
  ZoneName,
  Offset,         // see OffsetStyle
  FractionZeros,  // .000: that many digits
  FractionNines,  // .999: without trailing zeros
};

// How an offset from UTC is written: "-07", "-0700", "-07:00:00", …; with Z "Z" stands for UTC.
struct OffsetStyle {
  bool has_z{false};
  bool has_minutes{false};
  bool has_seconds{false};
  bool has_colons{false};
};

struct Chunk {
  std::string_view before;  // plain text
  Element element{Element::None};
  std::string_view text;  // of the element in the layout
  std::string_view after;
  OffsetStyle offset;
  std::size_t digits{0};  // of a fraction
  char separator{'.'};    // before it
};

// The first element of a layout, and what is around it.
Chunk next_chunk(std::string_view layout);

// The layout that a name stands for ("RFC3339"); the text itself where it is no name.
std::string_view named_layout(std::string_view name);

// time.Time.Format.
std::string format(Instant instant, Zone const& zone, std::string_view layout);

struct Parsed {
  Instant instant;
  std::string problem;  // in Go's words; empty: there is none
};
// time.Parse. Zone abbreviations other than UTC have no offset: nobody can know which is meant.
Parsed parse(std::string_view layout, std::string_view text);

// As Go's time package quotes in its errors.
std::string quote(std::string_view text);

}  // namespace sallyport::rego::time
