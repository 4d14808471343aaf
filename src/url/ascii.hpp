// Classes of ASCII characters, independent of the locale.
#pragma once

#include "src/base/ascii.hpp"

namespace sallyport::url {

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

constexpr bool is_alpha(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// -1 for what is no hexadecimal digit.
constexpr int hex_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  auto const lower = to_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

constexpr bool is_hex_digit(char c) noexcept {
  return hex_value(c) >= 0;
}

}  // namespace sallyport::url
