// Points in time as HTTP writes them: strict for header fields, forgiving for cookies.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace sallyport::http {

// Wall-clock time, in which servers state lifetimes. Handed in everywhere, so that tests choose it.
using WallTime = std::chrono::sys_seconds;

// The three forms of RFC 9110, section 5.6.7, and nothing else.
std::optional<WallTime> parse_http_date(std::string_view text, WallTime now);

// The algorithm of RFC 6265bis, section 5.1.1: finds the parts of a date in whatever order.
std::optional<WallTime> parse_cookie_date(std::string_view text);

}  // namespace sallyport::http
