// What an access token must say to be one for us, now (RFC 9068, section 4; RFC 8725).
#pragma once

#include "src/base/request_context.hpp"
#include "src/base/result.hpp"
#include "src/json/value.hpp"
#include "src/oauth/inbound_options.hpp"

#include <chrono>
#include <string_view>

namespace sallyport::oauth {

// Whom the token names. Fails with InvalidInput when it is not for us or not for now, and with
// PolicyDenied when a required scope is missing. `typ` is the one of the header: `at+jwt`, `JWT` or
// none; other kinds of tokens (a logout token, a DPoP proof) are refused.
Result<Principal> check_claims(json::Object const& claims, std::string_view typ,
                               JwtOptions const& options,
                               std::chrono::system_clock::time_point now);

}  // namespace sallyport::oauth
