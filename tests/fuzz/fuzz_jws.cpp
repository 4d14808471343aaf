// A token in the first line, a key set in the rest. Nobody without a private key makes a token that
// our keys verify, and whatever comes is read or refused.
#include "src/base/assert.hpp"
#include "src/base/base64.hpp"
#include "src/oauth/bearer.hpp"
#include "src/oauth/jws.hpp"
#include "src/oauth/jwt_claims.hpp"

#include "tests/support/signing_key.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace oauth = sallyport::oauth;
namespace base64 = sallyport::base64;
using sallyport::test::SigningKey;

namespace {

std::vector<oauth::Algorithm> const kAlgorithms = {
    oauth::Algorithm::Rs256, oauth::Algorithm::Ps256, oauth::Algorithm::Es256,
    oauth::Algorithm::Es384, oauth::Algorithm::Es512, oauth::Algorithm::EdDsa};

oauth::JwkSet const& our_keys() {
  static auto const keys = *oauth::JwkSet::parse(sallyport::test::key_set(
      {SigningKey::rsa().jwk("r"), SigningKey::p256().jwk("p"), SigningKey::ed25519().jwk("e")}));
  return keys;
}

void check_base64url(std::string_view text) {
  if (auto const bytes = base64::decode_url(text)) {
    SP_ASSERT(base64::encode_url(*bytes) == text, "bytes have one spelling");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  auto const line = std::min(text.find('\n'), text.size());
  auto const token = text.substr(0, line);
  check_base64url(token);
  auto const keys = oauth::JwkSet::parse(text.substr(std::min(line + 1, size)));
  auto const jws = oauth::parse_jws(token, kAlgorithms);
  if (!jws) return 0;
  SP_ASSERT(oauth::is_bearer_token(token), "what is a token can be sent as one");
  SP_ASSERT(oauth::verify(*jws, our_keys()) != oauth::Signature::Valid, "nobody forges a token");
  if (keys) static_cast<void>(oauth::verify(*jws, *keys));
  oauth::JwtOptions const options{.issuer = "joe", .audiences = {"us"}, .required_scopes = {"r"}};
  static_cast<void>(
      oauth::check_claims(jws->claims, jws->typ, options, std::chrono::system_clock::now()));
  return 0;
}
