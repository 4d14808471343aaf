// The text of a number, taken apart: what comparing, hashing and converting it need.
#pragma once

#include "src/rego/value.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace sallyport::rego {

// 0.DIGITS × 10^magnitude. Equal numbers have equal decimals, however they are written.
struct Decimal {
  bool negative{false};
  // Without zeros at either end; empty for zero. May hold the point of the text, which counts for
  // nothing here.
  std::string_view digits;
  std::size_t count{0};  // of the digits without the point
  std::int64_t magnitude{0};

  bool is_zero() const noexcept { return count == 0; }
  bool is_integer() const noexcept {
    return magnitude >= 0 && static_cast<std::uint64_t>(magnitude) >= count;
  }
};

// The limits on what counts as a number at all, so that none takes long to compute with: below
// 10^30103 is what OPA reads in a policy.
inline constexpr std::int64_t kLargestMagnitude = 30'103;
inline constexpr std::size_t kLongestNumber = 32'768;

// JSON's grammar, and within the limits.
bool is_number(std::string_view text) noexcept;

// `text` is a number by the grammar.
Decimal to_decimal(std::string_view text) noexcept;

// Room for the digits of an int64, which have no text of their own.
using IntegerText = std::array<char, 24>;
Decimal to_decimal(Value number, IntegerText& room) noexcept;

}  // namespace sallyport::rego
