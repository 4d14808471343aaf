// UTF-8 as Go reads it: a byte that begins no well-formed sequence is one rune, U+FFFD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::rego::builtins {

inline constexpr char32_t kReplacementRune = 0xFFFD;
inline constexpr char32_t kLastRune = 0x10FFFF;

struct Rune {
  char32_t code{kReplacementRune};
  std::uint8_t width{1};  // bytes; 0 at the end of the text

  bool is_malformed() const noexcept { return code == kReplacementRune && width == 1; }
};

Rune first_rune(std::string_view text) noexcept;
Rune last_rune(std::string_view text) noexcept;

struct EncodedRune {
  char bytes[4];
  std::uint8_t size;

  std::string_view view() const noexcept { return {bytes, size}; }
};
// What is no code point becomes U+FFFD.
EncodedRune encode(char32_t code) noexcept;

bool is_ascii(std::string_view text) noexcept;
bool is_well_formed(std::string_view text) noexcept;
std::size_t count_runes(std::string_view text) noexcept;
// The offset of the rune with this number; the size of the text where it is shorter.
std::size_t offset_of_rune(std::string_view text, std::size_t number) noexcept;

// Go's unicode.IsPrint and unicode.IsSpace.
bool is_printable(char32_t code) noexcept;
bool is_space(char32_t code) noexcept;

// Linear in both, unlike std::string_view::find: `text` and `wanted` may come from a stranger.
std::size_t find(std::string_view text, std::string_view wanted, std::size_t from = 0) noexcept;

}  // namespace sallyport::rego::builtins
