// Points in time as the log writes them: ISO 8601, UTC, microseconds.
#pragma once

#include "src/base/result.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::audit {

using Time = std::chrono::system_clock::time_point;

std::int64_t microseconds_of(Time time) noexcept;
Time time_of(std::int64_t microseconds) noexcept;

std::string time_text(Time time);  // "2026-07-28T12:00:00.000000Z"

// A date, or a date and a time with up to six decimals, in UTC ("Z", or nothing) or with an offset
// ("+02:00"). Fails with InvalidInput.
Result<Time> parse_time(std::string_view text);

}  // namespace sallyport::audit
