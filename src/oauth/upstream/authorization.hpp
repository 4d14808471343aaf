// The authorization code flow (RFC 6749, section 4.1; OAuth 2.1) as values: the URL that a browser
// is sent to, and what comes back with it. No I/O.
#pragma once

#include "src/base/result.hpp"
#include "src/base/secret.hpp"
#include "src/oauth/upstream/discovery.hpp"
#include "src/oauth/upstream/grant.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::oauth::upstream {

// A secret for one flow, and what the authorization server is shown of it (RFC 7636).
struct Pkce {
  Secret verifier;
  std::string challenge;

  static Pkce make();
};

// Fails with CredentialUnavailable where the server does not do S256: SECURITY: without it a stolen
// code is worth a token.
Result<void> check_pkce(AuthorizationServer const& server);

// What to ask for: the operator's choice, else the challenge's, else all that the resource lists,
// else nothing; `offline_access` with any of them, where the authorization server has it.
std::string choose_scope(ServerSettings const& settings, ServerChallenge const& challenge,
                         Discovery const& discovery);

struct AuthorizationRequest {
  std::string_view client_id;
  std::string_view redirect_uri;
  std::string_view scope;
  std::string_view state;
  std::string_view code_challenge;
  std::string_view resource;
};

// The endpoint's URL, which may have a query of its own, with the request in it.
std::string authorization_url(std::string const& endpoint, AuthorizationRequest const& request);

// What the browser brought back.
struct Callback {
  std::string state;
  std::string code;
  std::optional<std::string> issuer;
  std::string error;

  // From the query of the redirect URI. Fails with InvalidInput when a parameter is there twice.
  static Result<Callback> parse(std::string_view query);
};

// The code, if the answer is the issuer's own (RFC 9207) and no refusal. Fails with
// CredentialUnavailable. SECURITY: of another's answer nothing is shown, and of a refusal only
// names that the standards define.
Result<Secret> code_in(Callback const& callback, std::string_view issuer, bool issuer_required);

}  // namespace sallyport::oauth::upstream
