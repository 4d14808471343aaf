#include "src/oauth/upstream/registration.hpp"

#include "src/base/log.hpp"
#include "src/json/write.hpp"
#include "src/oauth/upstream/metadata_reader.hpp"
#include "src/oauth/upstream/secure_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::oauth::upstream {
namespace {

constexpr std::size_t kLongestId = 2048;
constexpr std::size_t kLargestAnswer = 64UL * 1024;
constexpr std::chrono::minutes kSecretReserve{5};

struct MethodName {
  ClientAuth auth;
  std::string_view name;
};
// Without a secret first: there is none to keep. Then as RFC 6749 prefers.
constexpr std::array<MethodName, 4> kMethods{{{ClientAuth::None, "none"},
                                              {ClientAuth::SecretBasic, "client_secret_basic"},
                                              {ClientAuth::SecretPost, "client_secret_post"},
                                              {ClientAuth::PrivateKeyJwt, "private_key_jwt"}}};

// RFC 7591, section 3.2.2.
constexpr std::array<std::string_view, 4> kKnownErrors{
    "invalid_redirect_uri", "invalid_client_metadata", "invalid_software_statement",
    "unapproved_software_statement"};

Error unavailable(std::string message, std::string detail = {}) {
  return fail(Errc::CredentialUnavailable, std::move(message), std::move(detail));
}

std::string_view name_of(ClientAuth auth) {
  return std::ranges::find(kMethods, auth, &MethodName::auth)->name;
}

bool supports(AuthorizationServer const& server, ClientAuth auth) {
  // RFC 8414, section 2: without a list, client_secret_basic. A server without any metadata leaves
  // it to the client (2025-03-26).
  if (!server.auth_methods) return auth == ClientAuth::SecretBasic || server.assumed;
  return std::ranges::count(*server.auth_methods, name_of(auth)) > 0;
}

ClientAuth method_for_registration(AuthorizationServer const& server) {
  for (auto const& method : kMethods) {
    if (method.auth != ClientAuth::PrivateKeyJwt && supports(server, method.auth)) {
      return method.auth;
    }
  }
  return ClientAuth::SecretBasic;
}

Result<ClientAuth> auth_with_secret(AuthorizationServer const& server) {
  for (auto const auth : {ClientAuth::SecretBasic, ClientAuth::SecretPost}) {
    if (supports(server, auth)) return auth;
  }
  return unavailable("The authorization server takes no client secret in a way we know.");
}

bool is_native(std::string const& redirect_uri) {
  auto const address = url::Url::parse(redirect_uri);
  return address && is_loopback(*address);
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c < '\x7F'; });
}

std::string text_in(json::Object const& object, std::string_view name) {
  auto const* const text = json::find_string(object, name);
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

Error refusal(http::Response const& answer) {
  auto why = fmt::format("status {}", answer.status);
  if (auto const object = unambiguous_object(answer.body)) {
    auto const error = text_in(*object, "error");
    if (std::ranges::find(kKnownErrors, error) != kKnownErrors.end()) why += ", " + error;
  }
  return unavailable("The authorization server did not register us.", std::move(why));
}

// SECURITY: of the answer, only what is ours to know; a method that we did not ask for must be one
// that we can do.
Result<ClientAuth> auth_of(json::Object const& answer, bool has_secret,
                           AuthorizationServer const& server) {
  auto const stated = text_in(answer, "token_endpoint_auth_method");
  if (stated.empty()) {
    // Some give a secret to everybody, also where they take none.
    bool const public_client =
        !has_secret ||
        (server.auth_methods && supports(server, ClientAuth::None) && !auth_with_secret(server));
    return public_client ? Result<ClientAuth>{ClientAuth::None} : auth_with_secret(server);
  }
  auto const* const known = std::ranges::find(kMethods, stated, &MethodName::name);
  bool const usable = known != kMethods.end() && known->auth != ClientAuth::PrivateKeyJwt &&
                      (known->auth == ClientAuth::None || has_secret);
  if (!usable) return unavailable("The registration answer asks for a method we cannot use.");
  return known->auth;
}

bool is_good_for(Client const& client, WallClock::time_point now) {
  return client.secret_expires_at == 0 ||
         client.secret_expires_at > unix_seconds(now + kSecretReserve);
}

Task<Client> register_us(http::Client& client, ClientSettings const& settings,
                         AuthorizationServer const& server, std::string const& redirect_uri,
                         Deadline deadline) {
  http::ClientRequest request{
      .method = "POST",
      .url = server.registration_endpoint,
      .headers = {{"Accept", "application/json"}, {"Content-Type", "application/json"}},
      .body = registration_document(settings, server, redirect_uri),
      .deadline = deadline,
      .max_response_bytes = kLargestAnswer};
  SP_CO_TRY(auto const answer, co_await client.send(std::move(request)));
  co_return read_registration(answer, server);
}

// Its URL is our id, so that it must be one that only we can answer for.
Result<void> check_metadata_document(std::string const& text) {
  auto const address = url::Url::parse(text);
  if (address && address->scheme() == "https" && address->path().size() > 1 &&
      !address->has_credentials() && !address->fragment()) {
    return {};
  }
  return unavailable("The URL of the client metadata document must be https and have a path.");
}

Error nothing_works(ServerSettings const& settings, Error const& cause) {
  return unavailable(
      fmt::format("The authorization server of {} does not register clients by itself. Register "
                  "Sallyport there, and put its client_id (and client_secret) into the "
                  "configuration.",
                  settings.id),
      fmt::format("{} {}", cause.message, cause.detail));
}

}  // namespace

std::string registration_document(ClientSettings const& settings, AuthorizationServer const& server,
                                  std::string const& redirect_uri) {
  return json::to_text(
      json::Object{{"client_name", settings.name},
                   {"redirect_uris", json::Array{redirect_uri}},
                   {"grant_types", json::Array{"authorization_code", "refresh_token"}},
                   {"response_types", json::Array{"code"}},
                   {"token_endpoint_auth_method", name_of(method_for_registration(server))},
                   {"application_type", is_native(redirect_uri) ? "native" : "web"}});
}

Result<Client> read_registration(http::Response const& answer, AuthorizationServer const& server) {
  if (answer.status != 201 && answer.status != 200) return refusal(answer);
  SP_TRY(auto const object, unambiguous_object(answer.body));
  Client client{.id = text_in(object, "client_id"),
                .secret = Secret{text_in(object, "client_secret")}};
  bool const usable = !client.id.empty() && client.id.size() <= kLongestId &&
                      is_printable(client.id) && client.secret.reveal().size() <= kLongestId;
  if (!usable) return unavailable("The registration answer has no usable client_id.");
  SP_TRY(client.auth, auth_of(object, !client.secret.empty(), server));
  auto const* const expiry = json::find(object, "client_secret_expires_at");
  if (expiry != nullptr && expiry->is_int64() && client.auth != ClientAuth::None) {
    client.secret_expires_at = expiry->get_int64();
  }
  return client;
}

Result<ClientAuth> choose_auth(ClientSettings const& settings, AuthorizationServer const& server) {
  if (settings.client_auth) return *settings.client_auth;
  if (settings.private_key) return ClientAuth::PrivateKeyJwt;
  if (settings.client_secret.empty()) return ClientAuth::None;
  return auth_with_secret(server);
}

Result<Client> configured_client(ServerSettings const& settings,
                                 AuthorizationServer const& server) {
  if (settings.client.client_id.empty()) {
    return unavailable(fmt::format("{} needs a client_id in the configuration.", settings.id));
  }
  SP_TRY(auto const auth, choose_auth(settings.client, server));
  return Client{
      .id = settings.client.client_id, .auth = auth, .secret = settings.client.client_secret};
}

Task<Client> client_for(RegistrationParts parts, std::string redirect_uri, Deadline deadline) {
  auto const& [client, store, settings, server, now] = parts;
  auto const& ours = settings.client;
  if (!ours.client_id.empty()) co_return configured_client(settings, server);
  if (server.takes_metadata_documents && !ours.metadata_document.empty()) {
    SP_CO_CHECK(check_metadata_document(ours.metadata_document));
    co_return Client{.id = ours.metadata_document};
  }
  SP_CO_TRY(auto const known, store.client(server.issuer, redirect_uri));
  if (known && is_good_for(*known, now)) co_return *known;
  Error cause = unavailable("It has no registration endpoint.");
  if (!server.registration_endpoint.empty()) {
    auto registered = co_await register_us(client, ours, server, redirect_uri, deadline);
    if (registered) {
      SP_CO_CHECK(store.put_client(settings, server.issuer, redirect_uri, *registered));
      co_return registered;
    }
    cause = registered.error();
    log::info("not registered",
              {{"server", settings.id}, {"error", cause.message}, {"detail", cause.detail}});
  }
  if (!ours.fallback_client_id.empty()) co_return Client{.id = ours.fallback_client_id};
  // What is only a failure of the network is none of the configuration.
  if (cause.code != Errc::CredentialUnavailable) co_return cause;
  co_return nothing_works(settings, cause);
}

}  // namespace sallyport::oauth::upstream
