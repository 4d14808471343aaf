#include "tests/conformance_client/obliging_sign_in.hpp"

#include <utility>

namespace sallyport::conformance {
namespace {

using oauth::upstream::GrantKind;

constexpr char const* kRedirect = "http://localhost:3000/callback";
constexpr char const* kMetadataDocument = "https://conformance-test.local/client-metadata.json";

oauth::upstream::TokenReader reading(std::string token) {
  return [token = std::move(token)] { return Result<Secret>{Secret{token}}; };
}

GrantKind kind_of(std::string_view scenario) {
  auto const names = [&](std::string_view part) {
    return scenario.find(part) != std::string_view::npos;
  };
  if (names("client-credentials")) return GrantKind::ClientCredentials;
  if (names("wif")) return GrantKind::JwtBearer;
  if (names("enterprise") || names("cross-app")) return GrantKind::EnterpriseManaged;
  return GrantKind::AuthorizationCode;
}

void set_assertion(oauth::upstream::ServerSettings& settings, json::Object const& context) {
  if (settings.kind == GrantKind::JwtBearer) {
    auto const valid = text_in(context, "valid_jwt");
    settings.assertion = reading(valid.empty() ? text_in(context, "workload_jwt") : valid);
  }
  if (settings.kind == GrantKind::EnterpriseManaged) {
    settings.assertion = reading(text_in(context, "idp_id_token"));
    settings.identity_provider = {.token_url = text_in(context, "idp_token_endpoint"),
                                  .client_id = text_in(context, "idp_client_id")};
  }
}

}  // namespace

oauth::upstream::ServerSettings server_settings(Scenario const& scenario, std::string url) {
  auto const& context = scenario.context;
  oauth::upstream::ServerSettings settings{.id = "suite", .url = std::move(url)};
  settings.kind = kind_of(scenario.name);
  settings.client.client_id = text_in(context, "client_id");
  settings.client.client_secret = Secret{text_in(context, "client_secret")};
  settings.client.metadata_document = kMetadataDocument;
  auto const key = text_in(context, "private_key_pem");
  if (!key.empty()) {
    auto read = oauth::PrivateKey::from_pem(Secret{key}, text_in(context, "signing_algorithm"));
    if (read)
      settings.client.private_key = std::make_shared<oauth::PrivateKey const>(std::move(*read));
  }
  set_assertion(settings, context);
  return settings;
}

Task<bool> ObligingSignIn::refused(int status, http::Headers const& answer,
                                   http::Headers const& sent, Deadline deadline) {
  auto again = co_await authorizer_.refused(status, answer, sent, deadline);
  if (again) co_return *again;
  bool const by_person = again.error().message.find(how_to_sign_in(settings_)) != std::string::npos;
  if (!by_person) co_return again.error();
  co_return co_await sign_in(deadline);
}

Task<bool> ObligingSignIn::sign_in(Deadline deadline) {
  SP_CO_TRY(auto const begun, co_await sign_in_.begin(settings_, kRedirect, deadline));
  SP_CO_TRY(auto const page, co_await client_.send({.url = begun.authorization_url}));
  auto const* const location = page.headers.find("Location");
  if (location == nullptr) {
    co_return fail(Errc::CredentialUnavailable, "The authorization page does not lead back to us.");
  }
  auto const query = location->substr(location->find('?') + 1);
  SP_CO_CHECK(co_await sign_in_.finish({}, query));
  co_return true;
}

}  // namespace sallyport::conformance
