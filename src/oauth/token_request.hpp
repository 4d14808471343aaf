// The requests to a token endpoint, and what its answers say. No I/O and no state.
//
// SECURITY: a failure made here never has any of the answer in it but the name of an error that the
// standards define: an endpoint may repeat what it was sent.
#pragma once

#include "src/base/result.hpp"
#include "src/http/client.hpp"
#include "src/oauth/token_options.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::oauth {

using WallClock = std::chrono::system_clock;

struct IssuedToken {
  Secret header_value;   // "Bearer …", as a header has it
  Secret refresh_token;  // empty: none
  std::chrono::seconds lifetime{0};
  std::string scope;  // empty: as asked for
};

using FormFields = std::vector<std::pair<std::string, std::string>>;

// A form to the token endpoint, with what the options add to each: who we are, audience, resources.
Result<http::ClientRequest> token_request(TokenOptions const& options, FormFields const& fields,
                                          WallClock::time_point now);

// Without a deadline. Fail with Internal where an assertion cannot be signed.
Result<http::ClientRequest> client_credentials_request(TokenOptions const& options,
                                                       WallClock::time_point now);
Result<http::ClientRequest> refresh_request(TokenOptions const& options,
                                            Secret const& refresh_token, WallClock::time_point now);

// The lifetime is `expires_in`, else from `exp` of a JWT, else what the options assume. `exp` is
// compared with the endpoint's own clock (its Date header): ours may be wrong. Fails with
// CredentialUnavailable.
Result<IssuedToken> read_token_answer(http::Response const& answer, TokenOptions const& options,
                                      WallClock::time_point now);

// The name of the error in a refusal, where it is one that the standards define; else empty.
std::string_view known_error_in(http::Response const& answer);

// What the endpoint asks us to wait, by `Retry-After` in seconds; at most five minutes.
std::optional<std::chrono::seconds> asked_to_wait(http::Response const& answer);

}  // namespace sallyport::oauth
