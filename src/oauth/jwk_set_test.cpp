#include "src/oauth/jwk_set.hpp"

#include "tests/support/signing_key.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sallyport::oauth {
namespace {

using test::SigningKey;

json::Object with(json::Object jwk, std::string_view name, json::Value value) {
  jwk[name] = std::move(value);
  return jwk;
}

TEST(JwkSet, LeavesOutKeysItCannotUse) {
  auto const good = SigningKey::p256().jwk("good");
  auto const x = std::string{json::view(good.at("x").get_string())};
  auto const ed25519 = SigningKey::ed25519().jwk("e");
  json::Array keys{
      good,
      1,
      json::Object{},
      json::Object{{"kty", "oct"}, {"k", "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"}, {"kid", "s"}},
      with(good, "use", "enc"),
      with(good, "use", 1),
      with(good, "key_ops", json::Array{"sign"}),
      with(good, "alg", "RS256"),
      with(good, "alg", "ES384"),
      with(good, "alg", "HS256"),
      with(good, "crv", "P-384"),
      with(good, "crv", "secp256k1"),
      with(good, "y", json::String{x}),  // off the curve
      with(good, "x", json::String{x + "A"}),
      with(ed25519, "crv", "Ed448"),
      with(ed25519, "x", "AAAA"),
      with(SigningKey::rsa().jwk("r"), "e", "AQ"),
      with(SigningKey::rsa().jwk("r"), "e", "AAAA"),
  };

  auto const set = JwkSet::parse(json::to_text(json::Object{{"keys", keys}}));

  ASSERT_TRUE(set);
  EXPECT_EQ(set->size(), 1U);
}

TEST(JwkSet, TakesKeysForSignatures) {
  auto const key = SigningKey::p256().jwk("a");
  auto const set = JwkSet::parse(
      test::key_set({with(key, "use", "sig"), with(key, "key_ops", json::Array{"verify"}),
                     with(key, "alg", "ES256"), with(key, "d", "a private part is not read")}));

  ASSERT_TRUE(set);
  EXPECT_EQ(set->size(), 4U);
}

TEST(PublicKey, VerifiesNothingByAnAlgorithmThatItsJwkDoesNotPin) {
  auto const signer = SigningKey::rsa();
  auto const pinned = PublicKey::from_jwk(with(signer.jwk("a"), "alg", "PS256"));
  auto const rs256 = signer.sign(Algorithm::Rs256, "text");
  auto const ps256 = signer.sign(Algorithm::Ps256, "text");

  ASSERT_TRUE(pinned);
  EXPECT_FALSE(pinned->verify(Algorithm::Rs256, "text", rs256));
  EXPECT_TRUE(pinned->verify(Algorithm::Ps256, "text", ps256));
  EXPECT_FALSE(pinned->verify(Algorithm::Ps256, "text", rs256));
}

TEST(JwkSet, RefusesRsaKeysBelow2048Bits) {
  EXPECT_FALSE(JwkSet::parse(test::key_set({SigningKey::rsa(1024).jwk("a")})));
  EXPECT_FALSE(JwkSet::parse(test::key_set({SigningKey::rsa(2040).jwk("a")})));
  EXPECT_TRUE(JwkSet::parse(test::key_set({SigningKey::rsa(2048).jwk("a")})));
}

TEST(JwkSet, IsBounded) {
  auto const key = SigningKey::ed25519().jwk("a");
  json::Array keys;
  for (std::size_t i = 0; i < JwkSet::kMaxKeys; ++i) keys.emplace_back(key);
  auto const full = json::to_text(json::Object{{"keys", keys}});
  keys.emplace_back(key);
  auto const overfull = json::to_text(json::Object{{"keys", keys}});

  ASSERT_TRUE(JwkSet::parse(full));
  EXPECT_EQ(JwkSet::parse(full)->candidates(Algorithm::EdDsa, {}).size(), 8U);
  EXPECT_FALSE(JwkSet::parse(overfull));
  EXPECT_FALSE(JwkSet::parse(full + std::string(JwkSet::kMaxBytes, ' ')));
}

TEST(JwkSet, RefusesWhatIsNoKeySet) {
  for (auto const* text :
       {"", "[]", "{}", "null", R"({"keys":{}})", R"({"keys":[]})", R"({"keys":[{}]})", "<html>"}) {
    auto const set = JwkSet::parse(text);
    ASSERT_FALSE(set) << text;
    EXPECT_EQ(set.error().code, Errc::InvalidInput);
  }
}

}  // namespace
}  // namespace sallyport::oauth
