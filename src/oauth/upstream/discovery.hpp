// Finds out who gives tokens for a server, and how.
//
//   401 ─► resource_metadata of the challenge, else the two well-known places
//            └─► its first authorization server ─► metadata of that issuer, in up to three places
//            └─► there is none: the server's origin, as in revision 2025-03-26
//
// Or nobody is asked: the operator's settings say it.
#pragma once

#include "src/base/task.hpp"
#include "src/http/client.hpp"
#include "src/oauth/upstream/challenge.hpp"
#include "src/oauth/upstream/client_settings.hpp"
#include "src/oauth/upstream/server_metadata.hpp"

namespace sallyport::oauth::upstream {

struct Discovery {
  std::string resource;                      // what tokens are asked for (RFC 8707)
  std::vector<std::string> resource_scopes;  // empty: it lists none
  // Tokens are bound to a key of ours (RFC 9449): the server wants it, and the authorization server
  // can. Where only Bearer is known such a token is of no use.
  bool use_dpop{false};
  AuthorizationServer authorization_server;
};

// Fails with CredentialUnavailable, and as the client does. `client` must outlive the task.
Task<Discovery> discover(http::Client& client, url::Url server, ServerChallenge challenge,
                         Deadline deadline);

// The same for a server of the settings, as far as they do not say it.
Task<Discovery> discover_for(http::Client& client, ServerSettings settings,
                             ServerChallenge challenge, Deadline deadline);

}  // namespace sallyport::oauth::upstream
