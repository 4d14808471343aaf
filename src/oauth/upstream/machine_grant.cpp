#include "src/oauth/upstream/machine_grant.hpp"

#include "src/oauth/upstream/registration.hpp"

#include <optional>
#include <utility>

namespace sallyport::oauth::upstream {
namespace {

constexpr auto* kJwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
constexpr auto* kTokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
constexpr auto* kIdToken = "urn:ietf:params:oauth:token-type:id_token";
constexpr auto* kIdJag = "urn:ietf:params:oauth:token-type:id-jag";

Error missing(std::string message) {
  return fail(Errc::CredentialUnavailable, std::move(message));
}

// A workload that has a token of its own needs no registration with the server.
Result<Client> client_of_machine(ServerSettings const& settings, Discovery const& discovery) {
  bool const anonymous = settings.kind == GrantKind::JwtBearer && settings.client.client_id.empty();
  if (anonymous) return Client{};
  return configured_client(settings, discovery.authorization_server);
}

Result<Secret> assertion_of(ServerSettings const& settings) {
  if (!settings.assertion)
    return missing(settings.id + " needs a token to show in its configuration.");
  return settings.assertion();
}

// At the identity provider: the person's identity for an assertion that is meant for this
// authorization server, client and resource.
Task<Secret> exchange_identity(TokenCaller caller, ServerSettings const& settings,
                               Discovery const& discovery, std::string const& scope) {
  SP_CO_TRY(auto const identity, assertion_of(settings));
  auto const& provider = settings.identity_provider;
  TokenOptions options{.token_url = provider.token_url,
                       .client_id = provider.client_id,
                       .client_auth = provider.client_auth,
                       .client_secret = provider.client_secret,
                       .audience = discovery.authorization_server.issuer,
                       .resources = {discovery.resource}};
  FormFields fields{{"grant_type", kTokenExchange},
                    {"requested_token_type", kIdJag},
                    {"subject_token", identity.reveal()},
                    {"subject_token_type", kIdToken}};
  if (!scope.empty()) fields.emplace_back("scope", scope);
  auto outcome = co_await caller.ask(std::move(options), std::move(fields));
  SP_CO_TRY(auto const issued, std::move(outcome.token));
  // SECURITY: what the provider calls a Bearer token is one; it must not go to another server.
  if (!issued.header_value.reveal().starts_with("N_A ")) {
    co_return missing("The identity provider gave a token of another kind than was asked for.");
  }
  co_return Secret{std::string{bare_token(issued.header_value)}};
}

Task<FormFields> fields_for(TokenCaller caller, ServerSettings const& settings,
                            Discovery const& discovery, std::string scope) {
  FormFields fields;
  if (settings.kind == GrantKind::ClientCredentials) {
    fields.emplace_back("grant_type", "client_credentials");
  } else {
    Secret assertion;
    if (settings.kind == GrantKind::EnterpriseManaged) {
      SP_CO_TRY(assertion, co_await exchange_identity(caller, settings, discovery, scope));
    } else {
      SP_CO_TRY(assertion, assertion_of(settings));
    }
    fields.emplace_back("grant_type", kJwtBearer);
    fields.emplace_back("assertion", assertion.reveal());
  }
  if (!scope.empty()) fields.emplace_back("scope", std::move(scope));
  co_return fields;
}

}  // namespace

Task<Grant> obtain_grant(TokenCaller caller, ServerSettings const& settings,
                         Discovery const& discovery, std::string scope) {
  auto const& server = discovery.authorization_server;
  Grant grant{.server_url = settings.url,
              .issuer = server.issuer,
              .resource = discovery.resource,
              .token_endpoint = server.token_endpoint,
              .revocation_endpoint = server.revocation_endpoint,
              .requested_scope = scope};
  SP_CO_TRY(grant.client, client_of_machine(settings, discovery));
  std::optional<DpopKey> key;
  if (discovery.use_dpop) {
    SP_CO_TRY(key, DpopKey::generate());
    grant.dpop_key = key->pem();
  }
  caller.key = nullptr;  // the identity provider is asked without
  SP_CO_TRY(auto fields, co_await fields_for(caller, settings, discovery, std::move(scope)));
  caller.key = key ? &*key : nullptr;
  auto outcome = co_await caller.ask(token_options(grant, settings.client), std::move(fields));
  SP_CO_TRY(auto issued, std::move(outcome.token));
  co_return renewed(std::move(grant), std::move(issued), caller.now);
}

}  // namespace sallyport::oauth::upstream
