#include "src/tools/header_text.hpp"

#include "src/http/message.hpp"
#include "src/url/utf8.hpp"

namespace sallyport::tools {

std::string as_utf8(std::string_view value) {
  if (url::well_formed(value) == value) return std::string{value};
  std::string out;
  for (char const c : value) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xC0 | (byte >> 6));
      out += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return out;
}

bool is_cookie_header(std::string_view name) noexcept {
  return http::equals_ignoring_case(name, "set-cookie") ||
         http::equals_ignoring_case(name, "set-cookie2");
}

}  // namespace sallyport::tools
