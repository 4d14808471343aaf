// How a grant is renewed: by its refresh token, by one process at a time.
#pragma once

#include "src/base/task.hpp"
#include "src/oauth/upstream/grant_store.hpp"
#include "src/oauth/upstream/token_call.hpp"

#include <optional>

namespace sallyport::oauth::upstream {

struct RenewalParts {
  http::Client& client;
  GrantStore& store;
  DpopNonces& nonces;
  ServerSettings const& settings;
  WallClock::time_point now;
};

// Waits until nobody uses or changes the server's grant, at most as long as that may take. Who puts
// or forgets a grant holds it: else somebody's renewal of the one before would take its place.
Task<store::FileLock> lock_grant(GrantStore& store, ServerSettings const& settings);

// What the store has for the server in the end; nothing where that is nothing. A grant that is
// another than `known` (its token), and not about to expire, is taken as it is: somebody else was
// faster. Else its refresh token is used, and the new one is in the store before anybody sees the
// new access token. Without a refresh token the grant comes back as it is.
//
// Fails with CredentialUnavailable and how to sign in where the refresh token is refused
// (invalid_grant), and otherwise where it could not be tried, or something else was refused: the
// grant is then as good as before.
Task<std::optional<Grant>> renew_grant(RenewalParts parts, Secret known);

}  // namespace sallyport::oauth::upstream
