// Durations as Go writes them ("1h30m", "-1.5h"), with OPA's days, weeks and years besides.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::rego::time {

struct ParsedDuration {
  std::int64_t nanoseconds{0};
  std::string problem;  // in Go's words; empty: there is none
};

ParsedDuration parse_duration(std::string_view text);

}  // namespace sallyport::rego::time
