// How we get access tokens of our own by client credentials (RFC 6749, section 4.4): where, as
// whom, for what.
#pragma once

#include "src/base/secret.hpp"
#include "src/oauth/private_key.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::oauth {

// How we prove who we are (OpenID Connect Core, section 9). None: a public client, which only says
// so.
enum class ClientAuth { SecretPost, SecretBasic, PrivateKeyJwt, None };

struct TokenOptions {
  std::string token_url;
  std::string client_id;
  ClientAuth client_auth{ClientAuth::SecretPost};
  Secret client_secret;                           // of the first two
  std::shared_ptr<PrivateKey const> private_key;  // of the third
  std::string key_id;
  std::string assertion_audience;  // empty: the token URL
  std::string scope;
  std::string audience;
  std::vector<std::string> resources;  // RFC 8707
  std::vector<std::pair<std::string, std::string>> parameters;
  // Whether a token may need a proof with each request (DPoP): who uses it makes them.
  bool accepts_dpop{false};
  // A token counts as expired so long before its stated expiry.
  std::chrono::seconds refresh_buffer{30};
  // Of a token that does not say when it expires.
  std::chrono::seconds assumed_lifetime{300};
  std::chrono::milliseconds timeout{10'000};  // of one request to the token endpoint
};

}  // namespace sallyport::oauth
