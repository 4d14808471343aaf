// The challenge of a refusal (RFC 6750, section 3; RFC 9728, section 5.1).
#pragma once

#include <string>
#include <string_view>

namespace sallyport::oauth {

struct Challenge {
  std::string resource_metadata;  // empty parts are left out
  std::string scope;
  std::string_view error;  // empty when the peer sent no credentials
  std::string_view error_description;
};

// Quoted as RFC 9110 asks; what may not stand in a header becomes '?'.
std::string www_authenticate(Challenge const& challenge);

}  // namespace sallyport::oauth
