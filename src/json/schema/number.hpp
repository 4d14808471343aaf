// Numbers as JSON Schema sees them: 1 and 1.0 are one number, and 0.3 is a multiple of 0.1.
#pragma once

#include "src/json/value.hpp"

#include <compare>
#include <cstddef>
#include <string_view>

namespace sallyport::json {

// Exact, also between an integer and a double. Both must be numbers.
std::strong_ordering compare_numbers(Value const& left, Value const& right) noexcept;

// Whether a double has no fraction, or the value is an integer.
bool is_integral(Value const& number) noexcept;

// Exact for the decimal that stands in the text; a double counts as its shortest decimal. `divisor`
// must be greater than zero.
bool is_multiple_of(Value const& number, Value const& divisor) noexcept;

// Deep; numbers by value, members in any order.
bool equal(Value const& left, Value const& right) noexcept;

// About how long it takes to compare or copy: one for each value within, more for long texts.
std::size_t weight(Value const& value) noexcept;
constexpr std::size_t weight(std::string_view text) noexcept {
  return 1 + text.size() / 64;
}

}  // namespace sallyport::json
