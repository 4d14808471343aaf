// The Authorization header (RFC 6750, section 2.1). Nothing else carries a token: never the query
// string, which ends up in logs, nor a form body.
#pragma once

#include "src/http/message.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace sallyport::oauth {

struct NoCredentials {};
struct OtherScheme {};      // Basic, say: credentials, but not for us
struct MalformedHeader {};  // twice there, or no token in it
struct BearerToken {
  std::string text;  // SECURITY: a credential
};

using Authorization = std::variant<NoCredentials, OtherScheme, MalformedHeader, BearerToken>;

Authorization parse_authorization(http::Headers const& headers);

// RFC 6750: 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
bool is_bearer_token(std::string_view text) noexcept;

}  // namespace sallyport::oauth
