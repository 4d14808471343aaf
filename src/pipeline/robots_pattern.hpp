// Paths and patterns of robots.txt files in the one spelling in which they are compared (RFC 9309,
// section 2.2.2).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sallyport::pipeline {

// Of a request: '*' and '$' stand for themselves and become %2A and %24.
std::string robots_target(std::string_view target);

// Of a rule: '*' is any text, '$' at the end is the end.
std::string robots_pattern(std::string_view pattern);

// Whether `pattern` holds the beginning of `target`. Both as made above. Linear; `searched` grows
// by the bytes of `target` that had to be searched for what stands behind a star.
bool robots_match(std::string_view pattern, std::string_view target,
                  std::size_t* searched = nullptr) noexcept;

}  // namespace sallyport::pipeline
