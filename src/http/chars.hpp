// Which bytes may stand where in a message (RFC 9110, section 5.6.2).
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace sallyport::http {

namespace detail {

constexpr std::array<bool, 256> make_token_table() {
  std::array<bool, 256> table{};
  for (char const c : std::string_view{"!#$%&'*+-.^_`|~0123456789"
                                       "abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}

inline constexpr auto kTokenTable = make_token_table();

}  // namespace detail

constexpr bool is_token_char(char c) noexcept {
  return detail::kTokenTable[static_cast<unsigned char>(c)];
}

constexpr bool is_token(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, is_token_char);
}

// A tab and everything that is no control character.
constexpr bool is_field_value_char(char c) noexcept {
  auto const byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
}

constexpr bool is_field_value(std::string_view text) noexcept {
  return std::ranges::all_of(text, is_field_value_char);
}

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// The value of a hex digit; -1 for any other character.
constexpr int hex_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr std::string_view trimmed(std::string_view text) noexcept {
  auto const blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace sallyport::http
