#include "src/oauth/upstream/dpop.hpp"

#include "src/base/base64.hpp"
#include "src/json/parse.hpp"
#include "src/json/write.hpp"
#include "src/oauth/public_key.hpp"
#include "src/store/digest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::oauth::upstream {
namespace {

using testing::HasSubstr;
using testing::Not;

WallClock::time_point const kNow{std::chrono::seconds{1'800'000'000}};

struct Proof {
  json::Object header;
  json::Object claims;
  std::string signed_text;
  std::string signature;
};

Proof taken_apart(std::string const& proof) {
  auto const first = proof.find('.');
  auto const second = proof.find('.', first + 1);
  auto const part = [&](std::size_t begin, std::size_t end) {
    return json::parse(*base64::decode_url(proof.substr(begin, end - begin)))->as_object();
  };
  return {part(0, first), part(first + 1, second), proof.substr(0, second),
          *base64::decode_url(proof.substr(second + 1))};
}

TEST(Dpop, ProvesThatWeHoldTheKeyForOneRequest) {
  auto const key = DpopKey::generate();
  ASSERT_TRUE(key);

  auto const text = key->proof({.method = "POST",
                                .url = "https://MCP.example:443/mcp?secret=1#x",
                                .nonce = "n",
                                .access_token = "token"},
                               kNow);

  ASSERT_TRUE(text);
  auto const proof = taken_apart(*text);
  EXPECT_EQ(proof.header.at("typ"), "dpop+jwt");
  EXPECT_EQ(proof.header.at("alg"), "ES256");
  EXPECT_EQ(proof.claims.at("htm"), "POST");
  EXPECT_EQ(proof.claims.at("htu"), "https://mcp.example/mcp");
  EXPECT_EQ(proof.claims.at("iat"), 1'800'000'000);
  EXPECT_EQ(proof.claims.at("nonce"), "n");
  EXPECT_EQ(proof.claims.at("ath"), json::Value(store::sha256_base64url("token")));
  auto const& jwk = proof.header.at("jwk").as_object();
  EXPECT_EQ(jwk.size(), 4U);
  EXPECT_EQ(json::find(jwk, "d"), nullptr);
  auto const check = PublicKey::from_jwk(jwk);
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->verify(Algorithm::Es256, proof.signed_text, proof.signature));
  EXPECT_FALSE(check->verify(Algorithm::Es256, proof.signed_text + "x", proof.signature));
}

TEST(Dpop, MakesAnotherProofEachTimeAndLeavesOutWhatIsNotThere) {
  auto const key = DpopKey::generate();
  ProofRequest const request{.method = "POST", .url = "https://as.example/token"};

  auto const one = taken_apart(*key->proof(request, kNow));
  auto const two = taken_apart(*key->proof(request, kNow));

  EXPECT_NE(one.claims.at("jti"), two.claims.at("jti"));
  EXPECT_EQ(json::find(one.claims, "nonce"), nullptr);
  EXPECT_EQ(json::find(one.claims, "ath"), nullptr);
  EXPECT_FALSE(key->proof({.method = "GET", .url = "nothing"}, kNow));
}

TEST(Dpop, GoesOnWithAStoredKey) {
  auto const key = DpopKey::generate();
  auto const again = DpopKey::from_pem(key->pem());
  ASSERT_TRUE(again);
  ProofRequest const request{.method = "GET", .url = "https://a.example/"};

  EXPECT_EQ(taken_apart(*key->proof(request, kNow)).header,
            taken_apart(*again->proof(request, kNow)).header);
  auto const bad = DpopKey::from_pem(Secret{"-----BEGIN PRIVATE KEY-----\nsecret"});
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message + bad.error().detail, Not(HasSubstr("secret")));
}

TEST(DpopNonces, AreKeptByOriginAndOnlyWhereTheyCanBeSent) {
  DpopNonces nonces;
  nonces.remember("https://a.example/x", {{"DPoP-Nonce", "one"}});
  nonces.remember("https://b.example/", {{"dpop-nonce", "two"}});
  nonces.remember("https://b.example/", {{"DPoP-Nonce", "a\"b"}});
  nonces.remember("https://b.example/", {{"DPoP-Nonce", ""}});
  nonces.remember("https://b.example/", {{"DPoP-Nonce", std::string(5000, 'n')}});
  nonces.remember("https://b.example/", {});

  EXPECT_EQ(nonces.of("https://a.example/y?z"), "one");
  EXPECT_EQ(nonces.of("https://b.example/"), "two");
  EXPECT_EQ(nonces.of("https://c.example/"), "");
}

TEST(DpopNonces, AreFoundInAProof) {
  auto const key = DpopKey::generate();
  auto const proof =
      key->proof({.method = "GET", .url = "https://a.example/", .nonce = "abc"}, kNow);

  EXPECT_EQ(nonce_in(*proof), "abc");
  for (auto const* const bad : {"", "a", "a.b", "a.!.c", "..", "a.e30.c", "a.W10.c"}) {
    EXPECT_EQ(nonce_in(bad), "") << bad;
  }
}

}  // namespace
}  // namespace sallyport::oauth::upstream
