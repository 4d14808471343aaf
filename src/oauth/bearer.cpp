#include "src/oauth/bearer.hpp"

#include <algorithm>

namespace sallyport::oauth {

bool is_bearer_token(std::string_view text) noexcept {
  constexpr std::string_view kOther = "-._~+/";
  auto const end = std::min(text.find('='), text.size());
  auto const token = text.substr(0, end);
  auto const padding = text.substr(end);
  return !token.empty() && padding.find_first_not_of('=') == std::string_view::npos &&
         std::ranges::all_of(token, [&](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                  kOther.find(c) != std::string_view::npos;
         });
}

Authorization parse_authorization(http::Headers const& headers) {
  auto const count = headers.count("Authorization");
  if (count == 0) return NoCredentials{};
  // SECURITY: a proxy before us may have looked at the other one.
  if (count > 1) return MalformedHeader{};
  std::string_view const value = *headers.find("Authorization");
  auto const space = std::min(value.find(' '), value.size());
  auto const scheme = value.substr(0, space);
  if (scheme.empty()) return MalformedHeader{};
  if (!http::equals_ignoring_case(scheme, "Bearer")) return OtherScheme{};
  auto const rest = value.substr(space);
  auto const token = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
  if (!is_bearer_token(token)) return MalformedHeader{};
  return BearerToken{std::string{token}};
}

}  // namespace sallyport::oauth
