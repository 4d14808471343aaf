#include "src/tools/header_text.hpp"

#include "src/http/message.hpp"
#include "src/url/utf8.hpp"

namespace sallyport::tools {

std::string as_utf8(std::string_view value) {
  auto text = url::well_formed(value);
  return text == value ? text : url::from_latin1(value);
}

bool is_cookie_header(std::string_view name) noexcept {
  return http::equals_ignoring_case(name, "set-cookie") ||
         http::equals_ignoring_case(name, "set-cookie2");
}

}  // namespace sallyport::tools
