// How durations, sizes, numbers and switches are written in settings.
//
// Every parser fails with InvalidInput and a message that says what is allowed, fit to stand behind
// the name of the setting. None repeats its input.
#pragma once

#include "src/base/result.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::config {

// "15s", "250ms", "5m", "1h", "2d"; "0" needs no unit.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// "4MiB", "16KiB", "1GiB", "10kB", "1MB", "100000", "100000B".
Result<std::uint64_t> parse_size(std::string_view text);

// Decimal digits only.
Result<std::uint64_t> parse_number(std::string_view text);

// true/false, yes/no, on/off, 1/0 in any case.
Result<bool> parse_switch(std::string_view text);

// The shortest exact form: 90000 ms is "90s", 60000 ms is "1m".
std::string format_duration(std::chrono::milliseconds duration);
std::string format_size(std::uint64_t bytes);

}  // namespace sallyport::config
