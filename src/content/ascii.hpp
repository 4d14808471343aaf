// ASCII letters and blanks as the web's standards define them, whatever the locale.
#pragma once

#include "src/base/ascii.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace sallyport::content {

// https://infra.spec.whatwg.org/#ascii-whitespace
constexpr bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

// https://mimesniff.spec.whatwg.org/#binary-data-byte
constexpr bool is_binary_byte(char c) noexcept {
  auto const byte = static_cast<unsigned char>(c);
  return byte <= 0x08 || byte == 0x0B || (byte >= 0x0E && byte <= 0x1A) ||
         (byte >= 0x1C && byte <= 0x1F);
}

constexpr std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// `lower_prefix` is in lower case.
constexpr bool starts_ignoring_case(std::string_view text, std::string_view lower_prefix) noexcept {
  if (text.size() < lower_prefix.size()) return false;
  return std::ranges::equal(text.substr(0, lower_prefix.size()), lower_prefix, {}, to_lower);
}

}  // namespace sallyport::content
