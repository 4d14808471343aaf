#include "src/oauth/upstream/authorization.hpp"

#include "src/base/base64.hpp"
#include "src/base/random_id.hpp"
#include "src/http/message.hpp"
#include "src/oauth/upstream/scopes.hpp"
#include "src/store/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace sallyport::oauth::upstream {
namespace {

constexpr std::size_t kVerifierBytes = 32;
constexpr std::size_t kLongestQuery = 16UL * 1024;
constexpr std::string_view kOfflineAccess = "offline_access";

// RFC 6749, section 4.1.2.1, and those of OpenID Connect that a person can cause.
constexpr std::array<std::string_view, 12> kKnownErrors{
    "invalid_request",      "unauthorized_client",
    "access_denied",        "unsupported_response_type",
    "invalid_scope",        "server_error",
    "invalid_target",       "temporarily_unavailable",
    "interaction_required", "login_required",
    "consent_required",     "account_selection_required"};

Error refused(std::string message, std::string detail = {}) {
  return fail(Errc::CredentialUnavailable, std::move(message), std::move(detail));
}

void append_encoded(std::string& out, std::string_view text) {
  constexpr std::string_view kPlain = "-._~";
  for (char const c : text) {
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       kPlain.find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
}

void append_parameter(std::string& url, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  if (!url.ends_with('?') && !url.ends_with('&')) url += '&';
  url += name;
  url += '=';
  append_encoded(url, value);
}

std::size_t times_in(std::string_view query, std::string_view name) {
  std::size_t times = 0;
  while (!query.empty()) {
    auto const end = std::min(query.find('&'), query.size());
    auto const pair = query.substr(0, end);
    // Decoded like the values, or an escape would hide a twin.
    auto const key = http::query_value("k=" + std::string{pair.substr(0, pair.find('='))}, "k");
    times += key == name ? 1U : 0U;
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return times;
}

}  // namespace

Pkce Pkce::make() {
  std::array<char, kVerifierBytes> bytes{};
  fill_random(bytes.data(), bytes.size());
  auto verifier = base64::encode_url({bytes.data(), bytes.size()});
  auto challenge = store::sha256_base64url(verifier);
  return {Secret{std::move(verifier)}, std::move(challenge)};
}

Result<void> check_pkce(AuthorizationServer const& server) {
  if (std::ranges::count(server.challenge_methods, "S256") > 0) return {};
  return refused("The authorization server does not support PKCE with S256.",
                 server.challenge_methods.empty() ? "code_challenge_methods_supported is absent"
                                                  : "S256 is not among its methods");
}

std::string choose_scope(ServerSettings const& settings, ServerChallenge const& challenge,
                         Discovery const& discovery) {
  auto scope = settings.scope;
  if (scope.empty()) scope = challenge.scope;
  if (scope.empty()) scope = join_scopes(discovery.resource_scopes);
  bool const offered =
      std::ranges::count(discovery.authorization_server.scopes, kOfflineAccess) > 0;
  // Alone it would take the place of what the server gives by default.
  return offered && !scope.empty() ? scope_union(scope, kOfflineAccess) : scope;
}

std::string authorization_url(std::string const& endpoint, AuthorizationRequest const& request) {
  auto url = endpoint;
  url += url.find('?') == std::string::npos ? "?" : "";
  append_parameter(url, "response_type", "code");
  append_parameter(url, "client_id", request.client_id);
  append_parameter(url, "redirect_uri", request.redirect_uri);
  append_parameter(url, "scope", request.scope);
  append_parameter(url, "state", request.state);
  append_parameter(url, "code_challenge", request.code_challenge);
  append_parameter(url, "code_challenge_method", "S256");
  append_parameter(url, "resource", request.resource);
  // OpenID Connect Core, section 11: there is no offline access without the person's consent.
  if (has_scope(request.scope, kOfflineAccess)) append_parameter(url, "prompt", "consent");
  return url;
}

Result<Callback> Callback::parse(std::string_view query) {
  if (query.starts_with('?')) query.remove_prefix(1);
  if (query.size() > kLongestQuery) return fail(Errc::InvalidInput, "The answer is too long.");
  for (std::string_view const name : {"state", "code", "iss", "error"}) {
    if (times_in(query, name) > 1) {
      return fail(Errc::InvalidInput, fmt::format("The answer has {} twice.", name));
    }
  }
  Callback callback{.state = http::query_value(query, "state"),
                    .code = http::query_value(query, "code"),
                    .error = http::query_value(query, "error")};
  if (times_in(query, "iss") == 1) callback.issuer = http::query_value(query, "iss");
  return callback;
}

Result<Secret> code_in(Callback const& callback, std::string_view issuer, bool issuer_required) {
  // SECURITY: first of all, also for refusals: who else wrote it must not be believed. No
  // normalization: the strings are equal or they are not (RFC 9207, section 2.4).
  if (callback.issuer ? *callback.issuer != issuer : issuer_required) {
    return refused(callback.issuer ? "The answer comes from another authorization server."
                                   : "The answer does not say which authorization server it is "
                                     "from, as it must.");
  }
  if (!callback.error.empty()) {
    auto const* const known = std::ranges::find(kKnownErrors, callback.error);
    return refused("The authorization server refused the sign-in.",
                   known == kKnownErrors.end() ? std::string{} : std::string{*known});
  }
  if (callback.code.empty()) return refused("The answer has no authorization code.");
  return Secret{callback.code};
}

}  // namespace sallyport::oauth::upstream
