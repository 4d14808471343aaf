// As much of RFC 3986 as references between schemas need.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::json {

struct SplitUri {
  std::string_view uri;       // without '#'
  std::string_view fragment;  // after '#'; empty if there is none
};

SplitUri split_fragment(std::string_view uri) noexcept;

// RFC 3986, section 5.2. `base` has no fragment and may be empty.
std::string resolve_uri(std::string_view base, std::string_view reference);

// "%25" becomes "%"; what is not an escape stays as it is.
std::string percent_decoded(std::string_view text);

}  // namespace sallyport::json
