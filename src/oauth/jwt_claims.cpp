#include "src/oauth/jwt_claims.hpp"

#include "src/http/message.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::oauth {
namespace {

constexpr std::size_t kMaxSubjectSize = 512;

Error refuse(char const* message) {
  return fail(Errc::InvalidInput, message);
}

bool is_access_token(std::string_view typ) {
  if (typ.empty()) return true;
  // RFC 7515, section 4.1.9: "application/" may be left out.
  constexpr std::string_view kPrefix = "application/";
  if (http::equals_ignoring_case(typ.substr(0, kPrefix.size()), kPrefix)) {
    typ.remove_prefix(kPrefix.size());
  }
  return http::equals_ignoring_case(typ, "at+jwt") || http::equals_ignoring_case(typ, "JWT");
}

// Calls `use` with each text of a member that is a text or a list of texts.
template <class Use>
void each_text(json::Value const& value, Use const& use) {
  if (auto const* text = value.if_string()) use(json::view(*text));
  if (auto const* list = value.if_array()) {
    for (auto const& entry : *list) {
      if (auto const* text = entry.if_string()) use(json::view(*text));
    }
  }
}

bool is_for_us(json::Object const& claims, std::vector<std::string> const& audiences) {
  auto const* audience = json::find(claims, "aud");
  if (audience == nullptr) return false;
  bool ours = false;
  each_text(*audience, [&](std::string_view name) {
    ours |= std::ranges::find(audiences, name) != audiences.end();
  });
  return ours;
}

// Seconds since 1970 (RFC 7519, section 2, NumericDate), fractions allowed.
Result<std::optional<double>> date(json::Object const& claims, std::string_view name) {
  auto const* value = json::find(claims, name);
  if (value == nullptr) return std::optional<double>{};
  if (!value->is_number()) return refuse("The token has a date that is not a number.");
  return std::optional{value->to_number<double>()};
}

Result<void> check_dates(json::Object const& claims, std::chrono::seconds leeway,
                         std::chrono::system_clock::time_point now) {
  auto const seconds = std::chrono::duration<double>{now.time_since_epoch()}.count();
  auto const slack = static_cast<double>(leeway.count());
  SP_TRY(auto const expires, date(claims, "exp"));
  SP_TRY(auto const not_before, date(claims, "nbf"));
  SP_TRY(auto const issued, date(claims, "iat"));
  if (!expires) return refuse("The token has no expiry.");
  if (seconds >= *expires + slack) return refuse("The token has expired.");
  if (not_before && seconds + slack < *not_before) return refuse("The token is not valid yet.");
  if (issued && seconds + slack < *issued) return refuse("The token is not valid yet.");
  return {};
}

// RFC 9068 says `scope`, a text; Okta and Entra ID say `scp`, a list or a text.
std::vector<std::string> scopes_of(json::Object const& claims) {
  std::vector<std::string> scopes;
  auto const add_words = [&](std::string_view words) {
    while (!words.empty()) {
      auto const end = std::min(words.find(' '), words.size());
      if (end > 0) scopes.emplace_back(words.substr(0, end));
      words.remove_prefix(std::min(end + 1, words.size()));
    }
  };
  for (auto const* name : {"scope", "scp"}) {
    if (auto const* value = json::find(claims, name)) each_text(*value, add_words);
  }
  return scopes;
}

}  // namespace

Result<Principal> check_claims(json::Object const& claims, std::string_view typ,
                               JwtOptions const& options,
                               std::chrono::system_clock::time_point now) {
  if (!is_access_token(typ)) return refuse("The token is not an access token.");
  auto const* issuer = json::find_string(claims, "iss");
  if (issuer == nullptr || json::view(*issuer) != options.issuer) {
    return refuse("The token is from another issuer.");
  }
  if (!is_for_us(claims, options.audiences)) return refuse("The token is for another audience.");
  SP_CHECK(check_dates(claims, options.leeway, now));
  // RFC 7800: such a token is only good together with a proof of a key, and we ask for none.
  // SECURITY: accepting it here would let a thief use what was bound against theft.
  if (claims.contains("cnf")) return refuse("The token is bound to a key.");
  auto const* subject = json::find_string(claims, "sub");
  if (subject == nullptr || subject->empty() || subject->size() > kMaxSubjectSize) {
    return refuse("The token names no subject.");
  }
  Principal principal{.id = std::string{json::view(*subject)},
                      .issuer = options.issuer,
                      .scopes = scopes_of(claims)};
  for (auto const& scope : options.required_scopes) {
    if (std::ranges::find(principal.scopes, scope) == principal.scopes.end()) {
      return fail(Errc::PolicyDenied, "The token lacks a required scope.");
    }
  }
  return principal;
}

}  // namespace sallyport::oauth
