// How a peer proves who it is. Everything empty: nobody is asked (loopback only; app/ sees to it).
#pragma once

#include "src/base/request_context.hpp"
#include "src/base/secret.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::oauth {

// A bearer token that the operator wrote into the configuration.
struct StaticToken {
  std::string principal;
  Secret token;
  std::vector<std::string> scopes;
  CallerKind kind{CallerKind::Unknown};
};

// Access tokens of an authorization server, checked by its published keys.
struct JwtOptions {
  std::string issuer;
  std::vector<std::string> audiences;  // one of them must be in the token's `aud`
  std::string jwks_url;                // one of jwks_url and jwks_file
  std::string jwks_file;
  std::vector<std::string> algorithms{"RS256", "ES256", "EdDSA"};
  std::vector<std::string> required_scopes;
  std::chrono::seconds leeway{60};
  std::chrono::seconds key_lifetime{3600};            // keys are fetched again after this
  std::chrono::seconds minimum_refresh_interval{30};  // an unknown `kid` asks at most this often
};

// Headers that a reverse proxy sets after it has authenticated the caller. SECURITY: only believed
// when the socket's peer is one of `proxies`.
struct ForwardAuthOptions {
  std::vector<std::string> proxies;  // addresses or CIDRs
  std::string user_header{"X-Forwarded-User"};
  std::string scopes_header;  // empty: none
};

struct InboundOptions {
  std::vector<StaticToken> tokens;
  std::optional<JwtOptions> jwt;
  std::optional<ForwardAuthOptions> forward;

  // RFC 9728 protected resource metadata.
  std::string resource;  // the public URL of the MCP endpoint; empty: derived from the request
  std::vector<std::string> authorization_servers;
  std::vector<std::string> scopes_supported;

  bool configured() const noexcept { return !tokens.empty() || jwt || forward; }
};

}  // namespace sallyport::oauth
