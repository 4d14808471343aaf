// A server that we use as a client, and as whom: what the configuration says.
#pragma once

#include "src/base/result.hpp"
#include "src/base/secret.hpp"
#include "src/oauth/token_options.hpp"
#include "src/oauth/token_request.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace sallyport::oauth::upstream {

// How tokens for a server are got.
enum class GrantKind {
  AuthorizationCode,  // a person signs in
  ClientCredentials,  // in our own name (RFC 6749, section 4.4)
  JwtBearer,          // with the token of a workload (RFC 7523, section 2.1)
  EnterpriseManaged,  // with a person's identity at the company's provider (ID-JAG)
};

// A token that somebody else gives us and renews: read each time it is needed.
using TokenReader = std::function<Result<Secret>()>;

// Where an identity is exchanged for an assertion that the authorization server believes.
struct IdentityProvider {
  std::string token_url;
  std::string client_id;
  ClientAuth client_auth{ClientAuth::None};
  Secret client_secret;
};

// As whom we come. All of it may be empty: then the server is asked to register us.
struct ClientSettings {
  std::string client_id;  // registered beforehand
  Secret client_secret;
  std::optional<ClientAuth> client_auth;  // without: what the server supports
  std::shared_ptr<PrivateKey const> private_key;
  std::string key_id;
  std::string metadata_document;   // an https URL of ours that describes us
  std::string fallback_client_id;  // where the server does not register clients
  std::string name{"Sallyport"};   // as a person sees it while signing in
};

// Where tokens for a server are got, as the operator says it.
struct StatedEndpoints {
  std::string authorization_url;  // may be empty where nobody signs in
  std::string token_url;          // empty: nothing is stated, the server is asked
  std::string issuer;             // as answers name it; empty: the origin of token_url
  std::string resource;           // what tokens are asked for; empty: the server's own URL
  // Only for a server that says nothing itself: another program wrote down what it had found.
  bool in_need_only{false};
};

struct ServerSettings {
  std::string id;     // the name by which the operator knows it
  std::string url;    // of its MCP endpoint
  std::string owner;  // whose grant it is; empty: everybody's
  GrantKind kind{GrantKind::AuthorizationCode};
  std::string scope;  // asked for whatever the server says; empty: what it says
  ClientSettings client;
  StatedEndpoints endpoints;
  TokenReader assertion;  // JwtBearer: the workload's token; EnterpriseManaged: the ID token
  IdentityProvider identity_provider;
};

// "sign in with `sallyport servers login NAME`", as every failure says that a person can mend.
std::string how_to_sign_in(ServerSettings const& server);

}  // namespace sallyport::oauth::upstream
