// What an authorization server granted us for a server, and as which client. SECURITY: these values
// are kept sealed (grant_store.hpp) and leave the process in requests to their issuer and their
// server alone.
#pragma once

#include "src/base/result.hpp"
#include "src/base/secret.hpp"
#include "src/oauth/token_request.hpp"
#include "src/oauth/upstream/client_settings.hpp"

#include <string>
#include <string_view>

namespace sallyport::oauth::upstream {

// Who we are to one authorization server.
struct Client {
  std::string id;
  ClientAuth auth{ClientAuth::None};
  Secret secret;
  std::int64_t secret_expires_at{0};  // Unix time; 0: never
};

struct Grant {
  std::string server_url;  // the only one it is sent to
  std::string issuer;
  std::string resource;
  std::string token_endpoint;
  std::string revocation_endpoint;  // empty: none
  Client client;
  std::string requested_scope;
  std::string scope;    // as granted
  Secret header_value;  // "Bearer …" or "DPoP …"
  Secret refresh_token;
  Secret dpop_key;            // PEM; empty: tokens without proof
  std::int64_t issued_at{0};  // Unix time, as the next
  std::int64_t expires_at{0};
};

// Whether it is still good for a while: five minutes, or half of a shorter life.
bool is_fresh(Grant const& grant, WallClock::time_point now);
bool is_expired(Grant const& grant, WallClock::time_point now);

std::int64_t unix_seconds(WallClock::time_point time);

std::string to_text(Grant const& grant);
std::string to_text(Client const& client);
// Fail with InvalidInput.
Result<Grant> grant_of(std::string_view text);
Result<Client> client_of(std::string_view text);

// How its issuer's endpoint is asked; the client's key, and its secret where the configuration has
// it, come from `settings`.
TokenOptions token_options(Grant const& grant, ClientSettings const& settings);

// The token without its scheme.
std::string_view bare_token(Secret const& header_value) noexcept;

// `old` with what an answer brought.
Grant renewed(Grant old, IssuedToken issued, WallClock::time_point now);

}  // namespace sallyport::oauth::upstream
