#include "src/oauth/jws.hpp"

#include "src/base/base64.hpp"
#include "src/json/parse.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace sallyport::oauth {
namespace {

Error malformed() {
  return fail(Errc::InvalidInput, "The token is malformed.");
}

// A part of the token that is a JSON object.
Result<json::Object> decode_object(std::string_view part) {
  auto const text = base64::decode_url(part);
  if (!text) return malformed();
  auto document = json::parse(*text, {}, {.depth = 16});
  // The parser's message could quote the token; it stays here.
  if (!document || !document->is_object()) return malformed();
  return std::move(document->get_object());
}

Result<Algorithm> allowed_algorithm(json::Object const& header,
                                    std::vector<Algorithm> const& allowed) {
  auto const* name = json::find_string(header, "alg");
  if (name == nullptr) return malformed();
  auto const algorithm = parse_algorithm(json::view(*name));
  // SECURITY: the list comes from the configuration, never from the token.
  if (!algorithm || std::ranges::find(allowed, *algorithm) == allowed.end()) {
    return fail(Errc::InvalidInput, "The token's signature algorithm is not accepted.");
  }
  return *algorithm;
}

// A header member that is text if it is there.
Result<std::string> optional_text(json::Object const& header, std::string_view name) {
  auto const* value = json::find(header, name);
  if (value == nullptr) return std::string{};
  auto const* text = value->if_string();
  if (text == nullptr) return malformed();
  return std::string{json::view(*text)};
}

}  // namespace

Result<Jws> parse_jws(std::string_view token, std::vector<Algorithm> const& allowed) {
  if (token.size() > Jws::kMaxBytes) return fail(Errc::InvalidInput, "The token is too large.");
  auto const first = token.find('.');
  auto const second = first == std::string_view::npos ? first : token.find('.', first + 1);
  // Five parts are an encrypted token (JWE), which we do not read.
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) {
    return malformed();
  }
  SP_TRY(auto const header, decode_object(token.substr(0, first)));
  Jws jws;
  SP_TRY(jws.algorithm, allowed_algorithm(header, allowed));
  // RFC 7515, section 4.1.11.
  if (header.contains("crit")) {
    return fail(Errc::InvalidInput, "The token needs an extension that is not supported.");
  }
  SP_TRY(jws.kid, optional_text(header, "kid"));
  SP_TRY(jws.typ, optional_text(header, "typ"));
  SP_TRY(jws.claims, decode_object(token.substr(first + 1, second - first - 1)));
  auto signature = base64::decode_url(token.substr(second + 1));
  if (!signature || signature->empty()) return malformed();
  jws.signature = *std::move(signature);
  jws.signed_text = token.substr(0, second);
  return jws;
}

Signature verify(Jws const& jws, JwkSet const& keys) {
  auto const candidates = keys.candidates(jws.algorithm, jws.kid);
  for (auto const* key : candidates) {
    if (key->verify(jws.algorithm, jws.signed_text, jws.signature)) return Signature::Valid;
  }
  return candidates.empty() || jws.kid.empty() ? Signature::UnknownKey : Signature::Invalid;
}

}  // namespace sallyport::oauth
