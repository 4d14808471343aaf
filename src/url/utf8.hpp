// UTF-8 as the Encoding Standard decodes it: what is malformed becomes U+FFFD.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::url {

inline bool is_ascii(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// The code point that begins at `at`, which is moved behind it.
char32_t next_code_point(std::string_view text, std::size_t& at) noexcept;

void append_code_point(std::string& out, char32_t code_point);

std::string well_formed(std::string_view text);

// Bytes as text and back, each byte the character of the same number (the web's "byte strings").
// Nothing where a character is beyond U+00FF.
std::string from_latin1(std::string_view bytes);
std::optional<std::string> to_latin1(std::string_view text);

}  // namespace sallyport::url
