// The HTML Standard's classes of ASCII characters, and small helpers on text.
#pragma once

#include "src/base/ascii.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::content::html {

constexpr bool is_space(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}
constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) noexcept {
  return to_lower(c) >= 'a' && to_lower(c) <= 'z';
}
constexpr bool is_alphanumeric(char c) noexcept {
  return is_digit(c) || is_letter(c);
}

constexpr bool equal_ignoring_case(std::string_view text, std::string_view lower_case) noexcept {
  if (text.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (to_lower(text[i]) != lower_case[i]) return false;
  }
  return true;
}

constexpr std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Up to eight characters in lower case as one number, to compare names by; longer ones give 0.
constexpr std::uint64_t packed(std::string_view name) noexcept {
  if (name.size() > 8) return 0;
  std::uint64_t key = 0;
  for (auto const c : name) key = key << 8 | static_cast<unsigned char>(to_lower(c));
  return key;
}

// FNV-1a of the name in lower case; of the first 64 bytes, which is more than any name needs.
constexpr std::uint32_t name_hash(std::string_view name) noexcept {
  std::uint32_t hash = 2166136261U;
  for (auto const c : name.substr(0, 64)) {
    hash = (hash ^ static_cast<unsigned char>(to_lower(c))) * 16777619U;
  }
  return hash;
}

// Cuts at a whole character.
constexpr std::string_view utf8_prefix(std::string_view text, std::size_t limit) noexcept {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return text.substr(0, limit);
}

}  // namespace sallyport::content::html
