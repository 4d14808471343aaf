#include "src/url/utf8.hpp"

#include <array>
#include <cstdint>
#include <unicode/utf8.h>

namespace sallyport::url {

char32_t next_code_point(std::string_view text, std::size_t& at) noexcept {
  UChar32 code_point = 0;
  // NOLINTNEXTLINE(bugprone-inc-dec-in-conditions): ICU's macro
  U8_NEXT_OR_FFFD(text.data(), at, text.size(), code_point);
  return static_cast<char32_t>(code_point);
}

void append_code_point(std::string& out, char32_t code_point) {
  std::array<char, U8_MAX_LENGTH> bytes{};
  std::size_t length = 0;
  U8_APPEND_UNSAFE(bytes.data(), length, code_point);
  out.append(bytes.data(), length);
}

std::string well_formed(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) append_code_point(out, next_code_point(text, at));
  return out;
}

std::string from_latin1(std::string_view bytes) {
  std::string text;
  for (char const c : bytes) append_code_point(text, static_cast<unsigned char>(c));
  return text;
}

std::optional<std::string> to_latin1(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size();) {
    auto const code_point = next_code_point(text, at);
    if (code_point > 0xFF) return std::nullopt;
    bytes += static_cast<char>(code_point);
  }
  return bytes;
}

}  // namespace sallyport::url
