#include "src/url/utf8.hpp"

#include <array>
#include <cstdint>
#include <unicode/utf8.h>

namespace sallyport::url {

std::string well_formed(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    UChar32 code_point = 0;
    U8_NEXT_OR_FFFD(text.data(), at, text.size(), code_point);
    std::array<char, U8_MAX_LENGTH> bytes{};
    std::size_t length = 0;
    U8_APPEND_UNSAFE(bytes.data(), length, code_point);
    out.append(bytes.data(), length);
  }
  return out;
}

}  // namespace sallyport::url
