// UTF-8: is it, where does it break, and how to mend it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sallyport::content {

// How many bytes from the start are whole, well-formed characters.
std::size_t valid_utf8_prefix(std::string_view bytes) noexcept;

// Whether it is UTF-8 with some damage: ten characters beyond ASCII for each malformed part. No
// other encoding looks like that.
bool is_damaged_utf8(std::string_view bytes) noexcept;

// Replaces what is malformed by U+FFFD, one for each maximal subpart (the Encoding Standard's
// UTF-8 decoder). `replaced` becomes true when there was any.
std::string mended_utf8(std::string bytes, bool& replaced);

constexpr bool is_utf8_continuation(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

inline constexpr std::string_view kReplacement{"\xEF\xBF\xBD"};

}  // namespace sallyport::content
