// What the two documents of a discovery say: of the protected resource (RFC 9728, section 2), and
// of its authorization server (RFC 8414, section 2; OpenID Connect Discovery). No I/O.
//
// SECURITY: foreign words, judged here once. What comes out has secure URLs only, and is about the
// server and the issuer that were asked for.
#pragma once

#include "src/base/result.hpp"
#include "src/json/value.hpp"
#include "src/url/url.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::oauth::upstream {

struct ProtectedResource {
  std::string resource;  // as the document writes it: it goes into requests
  std::vector<std::string> authorization_servers;
  std::vector<std::string> scopes;
  bool wants_dpop{false};
};

// Fails with CredentialUnavailable; also when `resource` is not the server, or something above it
// on the same origin.
Result<ProtectedResource> read_protected_resource(json::Object const& document,
                                                  url::Url const& server);

// Whether a token for `resource` may be sent to `server`: one origin, and the resource's path is
// the server's or leads to it, by whole segments.
bool covers(url::Url const& resource, url::Url const& server);

// The server's own URL as the name of a resource (RFC 8707): no query, no fragment, and no slash at
// its end.
std::string resource_name(url::Url const& server);

struct AuthorizationServer {
  std::string issuer;
  std::string authorization_endpoint;  // empty: it has none
  std::string token_endpoint;
  std::string registration_endpoint;
  std::string revocation_endpoint;
  std::vector<std::string> scopes;
  std::vector<std::string> challenge_methods;            // of PKCE
  std::optional<std::vector<std::string>> auth_methods;  // of the token endpoint
  std::vector<std::string> dpop_algorithms;
  bool takes_metadata_documents{false};  // as client ids
  bool names_itself_in_answers{false};   // RFC 9207
  bool assumed{false};                   // it has no metadata: endpoints as of 2025-03-26
};

// Fails with CredentialUnavailable; also when the document is about another issuer. SECURITY: the
// comparison is exact, or one server could speak for another.
Result<AuthorizationServer> read_authorization_server(json::Object const& document,
                                                      std::string_view issuer);

// Of a server from before protected resource metadata, which is its own authorization server.
AuthorizationServer assumed_authorization_server(url::Url const& server);

// Where the metadata may be, best first. Nothing for an issuer that cannot have any.
std::vector<url::Url> resource_metadata_places(url::Url const& server);
Result<std::vector<url::Url>> issuer_metadata_places(std::string_view issuer);

}  // namespace sallyport::oauth::upstream
