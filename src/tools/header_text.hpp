// Headers of an answer as texts for a result: values as UTF-8, cookies left out.
#pragma once

#include "src/base/ascii.hpp"

#include <string>
#include <string_view>

namespace sallyport::tools {

// Header values are bytes, and JSON wants UTF-8: each byte of another text stands for the character
// of the same number, as in fetch() of a browser.
std::string as_utf8(std::string_view value);

// SECURITY: cookies are between the site and the gateway; a page in a browser does not see them
// either.
bool is_cookie_header(std::string_view name) noexcept;

}  // namespace sallyport::tools
