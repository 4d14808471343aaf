// One request to a token endpoint and what came of it; with a proof of possession where the grant
// has a key for it.
#pragma once

#include "src/base/task.hpp"
#include "src/http/client.hpp"
#include "src/oauth/token_request.hpp"
#include "src/oauth/upstream/dpop.hpp"

#include <string_view>

namespace sallyport::oauth::upstream {

struct TokenOutcome {
  Result<IssuedToken> token;
  // The endpoint itself said no, and will again: nothing on the way, no failure of its own.
  bool refused{false};
  std::string_view error{};  // its name, where the standards define it
};

// What all calls have in common. The references must outlive the calls.
struct TokenCaller {
  http::Client& client;
  DpopNonces& nonces;
  WallClock::time_point now;
  DpopKey const* key{nullptr};

  // Asks again, once, where the endpoint wants a nonce in the proof (RFC 9449, section 8). The
  // failure is CredentialUnavailable, or what the client failed with.
  Async<TokenOutcome> ask(TokenOptions options, FormFields fields) const;

  // Tells the server to forget a token (RFC 7009). Fails with CredentialUnavailable.
  Task<void> revoke(TokenOptions options, std::string endpoint, FormFields fields) const;
};

}  // namespace sallyport::oauth::upstream
