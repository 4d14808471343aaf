// Names under which anybody can register: "com", "co.uk", "github.io" (https://publicsuffix.org).
#pragma once

#include <string_view>

namespace sallyport::http {

// `domain` in lower case, as it stands in DNS. A name without a dot is one.
bool is_public_suffix(std::string_view domain);

}  // namespace sallyport::http
