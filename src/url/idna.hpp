// UTS 46 ToASCII with the options of the URL Standard, done by ICU.
#pragma once

#include "src/base/result.hpp"

#include <string>
#include <string_view>

namespace sallyport::url {

// For a name with at least one character beyond ASCII; names that are all ASCII are only put in
// lower case by the standard and never come here. `text` is well-formed UTF-8. The answer may
// still hold characters that a domain must not have. Messages are as those of parse_host.
Result<std::string> unicode_to_ascii(std::string_view text);

}  // namespace sallyport::url
