#include "src/oauth/upstream/server_metadata.hpp"

#include "src/oauth/resource_url.hpp"
#include "src/oauth/upstream/scopes.hpp"
#include "src/oauth/upstream/secure_url.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::oauth::upstream {
namespace {

constexpr std::size_t kMostWords = 256;
constexpr std::string_view kAuthorizationServerPath = "/.well-known/oauth-authorization-server";
constexpr std::string_view kOpenIdPath = "/.well-known/openid-configuration";

Error unusable(std::string message, std::string detail = {}) {
  return fail(Errc::CredentialUnavailable, std::move(message), std::move(detail));
}

std::string text_in(json::Object const& document, std::string_view name) {
  auto const* const text = json::find_string(document, name);
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

bool flag_in(json::Object const& document, std::string_view name) {
  auto const* const value = json::find(document, name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::optional<std::vector<std::string>> words_in(json::Object const& document,
                                                 std::string_view name) {
  auto const* const array = json::find_array(document, name);
  if (array == nullptr) return std::nullopt;
  std::vector<std::string> words;
  for (auto const& value : *array) {
    if (words.size() == kMostWords) break;
    if (auto const* const text = value.if_string()) words.emplace_back(json::view(*text));
  }
  return words;
}

std::vector<std::string> scopes_in(json::Object const& document) {
  auto scopes = words_in(document, "scopes_supported").value_or(std::vector<std::string>{});
  std::erase_if(scopes, [](std::string const& scope) {
    return !is_scope_list(scope) || scope.find(' ') != std::string::npos;
  });
  return scopes;
}

Result<std::string> endpoint_in(json::Object const& document, std::string_view name) {
  auto const text = text_in(document, name);
  if (text.empty()) return std::string{};
  SP_TRY(auto const address, secure_url(text, name));
  return address.href();
}

std::string without_last_slash(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string{path};
}

url::Url place(std::string const& text) {
  return *url::Url::parse(text);  // an origin and a path of a URL that was parsed before
}

}  // namespace

bool covers(url::Url const& resource, url::Url const& server) {
  if (!url::same_origin(resource, server) || resource.query() || resource.fragment()) return false;
  auto const prefix = without_last_slash(resource.path());
  return url::path_has_prefix(server.path(), prefix.empty() ? "/" : prefix);
}

std::string resource_name(url::Url const& server) {
  return server.origin() + without_last_slash(server.path());
}

Result<ProtectedResource> read_protected_resource(json::Object const& document,
                                                  url::Url const& server) {
  ProtectedResource found{.resource = text_in(document, "resource"), .scopes = scopes_in(document)};
  auto const resource = url::Url::parse(found.resource);
  if (!resource || !covers(*resource, server)) {
    return unusable("The protected resource metadata is about another resource than this server.",
                    resource ? shown(*resource) : std::string{"it names none"});
  }
  if (auto servers = words_in(document, "authorization_servers")) {
    found.authorization_servers = *std::move(servers);
  }
  if (found.authorization_servers.empty()) {
    return unusable("The protected resource metadata names no authorization server.");
  }
  auto const algorithms = words_in(document, "dpop_signing_alg_values_supported");
  found.wants_dpop = flag_in(document, "dpop_bound_access_tokens_required") ||
                     (algorithms && !algorithms->empty());
  return found;
}

Result<AuthorizationServer> read_authorization_server(json::Object const& document,
                                                      std::string_view issuer) {
  AuthorizationServer server{.issuer = text_in(document, "issuer")};
  if (server.issuer != issuer) {
    return unusable("The authorization server's metadata is about another issuer.",
                    fmt::format("asked for {}", issuer));
  }
  SP_TRY(server.authorization_endpoint, endpoint_in(document, "authorization_endpoint"));
  SP_TRY(server.token_endpoint, endpoint_in(document, "token_endpoint"));
  SP_TRY(server.registration_endpoint, endpoint_in(document, "registration_endpoint"));
  SP_TRY(server.revocation_endpoint, endpoint_in(document, "revocation_endpoint"));
  if (server.token_endpoint.empty()) {
    return unusable("The authorization server's metadata names no token_endpoint.");
  }
  auto const list = [&](std::string_view name) {
    return words_in(document, name).value_or(std::vector<std::string>{});
  };
  server.scopes = scopes_in(document);
  server.challenge_methods = list("code_challenge_methods_supported");
  server.auth_methods = words_in(document, "token_endpoint_auth_methods_supported");
  server.dpop_algorithms = list("dpop_signing_alg_values_supported");
  server.takes_metadata_documents = flag_in(document, "client_id_metadata_document_supported");
  server.names_itself_in_answers =
      flag_in(document, "authorization_response_iss_parameter_supported");
  return server;
}

AuthorizationServer assumed_authorization_server(url::Url const& server) {
  auto const origin = server.origin();
  return {.issuer = origin,
          .authorization_endpoint = origin + "/authorize",
          .token_endpoint = origin + "/token",
          .registration_endpoint = origin + "/register",
          // That revision requires PKCE of every server.
          .challenge_methods = {"S256"},
          .assumed = true};
}

std::vector<url::Url> resource_metadata_places(url::Url const& server) {
  auto const root = server.origin() + std::string{kMetadataPath};
  auto const path = without_last_slash(server.path());
  std::vector<url::Url> places;
  if (!path.empty()) places.push_back(place(root + path));
  places.push_back(place(root));
  return places;
}

Result<std::vector<url::Url>> issuer_metadata_places(std::string_view issuer) {
  SP_TRY(auto const address, secure_url(issuer, "issuer"));
  if (address.query()) return unusable("The issuer of the authorization server has a query.");
  auto const origin = address.origin();
  auto const path = without_last_slash(address.path());
  auto const at = [&](std::string_view before, std::string_view after) {
    return place(fmt::format("{}{}{}", origin, before, after));
  };
  std::vector<url::Url> places{at(kAuthorizationServerPath, path), at(kOpenIdPath, path)};
  if (!path.empty()) places.push_back(at(path, kOpenIdPath));
  return places;
}

}  // namespace sallyport::oauth::upstream
