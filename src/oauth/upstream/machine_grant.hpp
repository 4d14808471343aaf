// Grants for which nobody signs in: by client credentials, by the token of a workload (RFC 7523),
// or by a person's identity at the company's provider (ID-JAG: a token exchange there, RFC 8693,
// and its result as the assertion here).
#pragma once

#include "src/oauth/upstream/discovery.hpp"
#include "src/oauth/upstream/grant.hpp"
#include "src/oauth/upstream/token_call.hpp"

#include <string>

namespace sallyport::oauth::upstream {

// Asks once. Fails with CredentialUnavailable, or as the client does. `caller.key` is left out of
// account: the grant has a key of its own where it needs one. What is referred to must outlive the
// task.
Task<Grant> obtain_grant(TokenCaller caller, ServerSettings const& settings,
                         Discovery const& discovery, std::string scope);

}  // namespace sallyport::oauth::upstream
