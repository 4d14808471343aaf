#include "src/oauth/jws.hpp"

#include "src/base/base64.hpp"

#include "tests/support/signing_key.hpp"

#include <gtest/gtest.h>
#include <openssl/hmac.h>

#include <string>
#include <utility>
#include <vector>

namespace sallyport::oauth {
namespace {

using test::SigningKey;

std::vector<Algorithm> const kAll = {
    Algorithm::Rs256, Algorithm::Rs384, Algorithm::Rs512, Algorithm::Ps256, Algorithm::Ps384,
    Algorithm::Ps512, Algorithm::Es256, Algorithm::Es384, Algorithm::Es512, Algorithm::EdDsa};

// One key of each kind for the whole program: RSA keys take a while to make.
SigningKey const& rsa() {
  static auto const key = SigningKey::rsa();
  return key;
}
SigningKey const& p256() {
  static auto const key = SigningKey::p256();
  return key;
}

// What becomes of a token when `keys` are known.
enum class Outcome { Refused, Invalid, UnknownKey, Valid };
Outcome outcome_of(std::string const& token, std::string const& keys,
                   std::vector<Algorithm> const& allowed = kAll) {
  auto const set = JwkSet::parse(keys);
  EXPECT_TRUE(set) << keys;
  auto const jws = parse_jws(token, allowed);
  if (!jws) return Outcome::Refused;
  switch (verify(*jws, *set)) {
    case Signature::Valid: return Outcome::Valid;
    case Signature::Invalid: return Outcome::Invalid;
    case Signature::UnknownKey: break;
  }
  return Outcome::UnknownKey;
}

json::Object const kClaims{{"sub", "alice"}};

TEST(Jws, VerifiesEachAlgorithm) {
  auto const p384 = SigningKey::p384();
  auto const p521 = SigningKey::p521();
  auto const ed25519 = SigningKey::ed25519();
  struct Case {
    char const* name;
    SigningKey const& key;
  };
  for (auto const& [name, key] :
       {Case{"RS256", rsa()}, Case{"RS384", rsa()}, Case{"RS512", rsa()}, Case{"PS256", rsa()},
        Case{"PS384", rsa()}, Case{"PS512", rsa()}, Case{"ES256", p256()}, Case{"ES384", p384},
        Case{"ES512", p521}, Case{"EdDSA", ed25519}}) {
    auto const algorithm = *parse_algorithm(name);
    auto const token = key.token(algorithm, {{"alg", name}, {"kid", "a"}}, kClaims);

    EXPECT_EQ(outcome_of(token, test::key_set({key.jwk("a")})), Outcome::Valid) << name;
    EXPECT_EQ(parse_jws(token, kAll)->claims, kClaims) << name;
  }
}

// RFC 7515, appendix A.2.
TEST(Jws, VerifiesTheRsaExampleOfTheRfc) {
  auto const* keys =
      R"({"keys":[{"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddx)"
      R"(HmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ4)"
      R"(7soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xs)"
      R"(mtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs)"
      R"(91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}]})";
  auto const* token =
      "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxl"
      "LmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZ"
      "mh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnb"
      "yTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHW"
      "EsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0ig"
      "cN_IoypGlUPQGe77Rw";

  EXPECT_EQ(outcome_of(token, keys), Outcome::Valid);
}

// RFC 7515, appendix A.3.
TEST(Jws, VerifiesTheEcdsaExampleOfTheRfc) {
  auto const* keys = R"({"keys":[{"kty":"EC","crv":"P-256",
      "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})";
  auto const* token =
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxl"
      "LmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISl"
      "SApmWQxfKTUJqPP3-Kg6NU1Q";

  EXPECT_EQ(outcome_of(token, keys), Outcome::Valid);
}

// RFC 8037, appendix A.4: its payload is no JSON, so the signature alone.
TEST(Jws, VerifiesTheEd25519ExampleOfTheRfc) {
  auto const key = PublicKey::from_jwk(
      {{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}});
  auto const signature = base64::decode_url(
      "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg");

  ASSERT_TRUE(key);
  EXPECT_TRUE(key->verify(Algorithm::EdDsa,
                          "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc", *signature));
}

TEST(Jws, RefusesAlgNone) {
  for (auto const* name : {"none", "None", "NONE", "nOnE", ""}) {
    auto const text = SigningKey::unsigned_token({{"alg", name}, {"kid", "a"}}, kClaims);
    for (auto const* signature : {"", "AA"}) {
      EXPECT_EQ(outcome_of(text + "." + signature, test::key_set({rsa().jwk("a")})),
                Outcome::Refused)
          << name;
    }
  }
}

// The attacker signs by HMAC with the public key, which everybody has, as the secret.
TEST(Jws, RefusesAPublicKeyUsedAsASharedSecret) {
  auto const jwk = rsa().jwk("a");
  auto const secrets = {json::to_text(jwk), test::key_set({jwk}),
                        *base64::decode_url(json::view(jwk.at("n").get_string()))};
  auto const text = SigningKey::unsigned_token({{"alg", "HS256"}, {"kid", "a"}}, kClaims);

  for (auto const& secret : secrets) {
    std::string mac(32, '\0');
    HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
         reinterpret_cast<unsigned char const*>(text.data()), text.size(),
         reinterpret_cast<unsigned char*>(mac.data()), nullptr);
    EXPECT_EQ(outcome_of(text + "." + base64::encode_url(mac), test::key_set({jwk})),
              Outcome::Refused);
  }
}

TEST(Jws, RefusesAnAlgorithmThatIsNotConfigured) {
  auto const token = rsa().token(Algorithm::Rs512, {{"alg", "RS512"}, {"kid", "a"}}, kClaims);

  EXPECT_EQ(outcome_of(token, test::key_set({rsa().jwk("a")}), {Algorithm::Rs256}),
            Outcome::Refused);
}

TEST(Jws, DoesNotUseAKeyWithAnAlgorithmOfAnotherType) {
  auto const p384 = SigningKey::p384();
  // Signed by P-384 keys, said to be ES256, and the other way round.
  auto const as_es256 = p384.token(Algorithm::Es384, {{"alg", "ES256"}, {"kid", "a"}}, kClaims);
  auto const as_rs256 = p256().token(Algorithm::Es256, {{"alg", "RS256"}, {"kid", "a"}}, kClaims);

  EXPECT_EQ(outcome_of(as_es256, test::key_set({p384.jwk("a")})), Outcome::UnknownKey);
  EXPECT_EQ(outcome_of(as_rs256, test::key_set({p256().jwk("a")})), Outcome::UnknownKey);
}

TEST(Jws, KeepsAKeyToTheAlgorithmItsJwkPins) {
  auto pinned = rsa().jwk("a");
  pinned["alg"] = "PS256";
  auto const rs256 = rsa().token(Algorithm::Rs256, {{"alg", "RS256"}, {"kid", "a"}}, kClaims);
  auto const ps256 = rsa().token(Algorithm::Ps256, {{"alg", "PS256"}, {"kid", "a"}}, kClaims);

  EXPECT_EQ(outcome_of(rs256, test::key_set({pinned})), Outcome::UnknownKey);
  EXPECT_EQ(outcome_of(ps256, test::key_set({pinned})), Outcome::Valid);
}

TEST(Jws, RefusesADerSignature) {
  auto const text = SigningKey::unsigned_token({{"alg", "ES256"}, {"kid", "a"}}, kClaims);
  auto const der = p256().sign_as_openssl_does(Algorithm::Es256, text);

  EXPECT_EQ(outcome_of(text + "." + base64::encode_url(der), test::key_set({p256().jwk("a")})),
            Outcome::Invalid);
}

// CVE-2022-21449: r and s of zero must not verify anything.
TEST(Jws, RefusesAnEcdsaSignatureOfZeros) {
  auto const text = SigningKey::unsigned_token({{"alg", "ES256"}, {"kid", "a"}}, kClaims);

  EXPECT_EQ(outcome_of(text + "." + base64::encode_url(std::string(64, '\0')),
                       test::key_set({p256().jwk("a")})),
            Outcome::Invalid);
}

TEST(Jws, RefusesATamperedToken) {
  auto const keys = test::key_set({p256().jwk("a")});
  auto const token = p256().token(Algorithm::Es256, {{"alg", "ES256"}, {"kid", "a"}}, kClaims);

  for (std::size_t i = 0; i < token.size(); ++i) {
    auto tampered = token;
    tampered[i] = tampered[i] == 'A' ? 'B' : 'A';
    EXPECT_NE(outcome_of(tampered, keys), Outcome::Valid) << i;
  }
}

TEST(Jws, RefusesAPayloadUnderAnotherTokensSignature) {
  auto const keys = test::key_set({p256().jwk("a")});
  json::Object const header{{"alg", "ES256"}, {"kid", "a"}};
  auto const token = p256().token(Algorithm::Es256, header, kClaims);
  auto const signature = token.substr(token.rfind('.'));

  EXPECT_EQ(outcome_of(SigningKey::unsigned_token(header, {{"sub", "root"}}) + signature, keys),
            Outcome::Invalid);
}

TEST(Jws, DoesNotKnowAnotherKid) {
  auto const token = p256().token(Algorithm::Es256, {{"alg", "ES256"}, {"kid", "b"}}, kClaims);

  EXPECT_EQ(outcome_of(token, test::key_set({p256().jwk("a")})), Outcome::UnknownKey);
}

TEST(Jws, RefusesAnotherKeyUnderAKnownKid) {
  auto const other = SigningKey::p256();
  auto const token = other.token(Algorithm::Es256, {{"alg", "ES256"}, {"kid", "a"}}, kClaims);

  EXPECT_EQ(outcome_of(token, test::key_set({p256().jwk("a")})), Outcome::Invalid);
}

TEST(Jws, TriesKeysOfTheRightTypeWhenTheTokenHasNoKid) {
  auto const other = SigningKey::p256();
  auto const token = p256().token(Algorithm::Es256, {{"alg", "ES256"}}, kClaims);

  EXPECT_EQ(outcome_of(token, test::key_set({rsa().jwk("r"), other.jwk("b"), p256().jwk("a")})),
            Outcome::Valid);
  EXPECT_EQ(outcome_of(token, test::key_set({other.jwk("b")})), Outcome::UnknownKey);
}

TEST(Jws, DoesNotUseAKeyThatTheTokenBrings) {
  auto const mine = SigningKey::p256();
  auto const token = mine.token(Algorithm::Es256,
                                {{"alg", "ES256"},
                                 {"kid", "a"},
                                 {"jwk", mine.jwk("a")},
                                 {"jku", "http://127.0.0.1:1/keys"},
                                 {"x5u", "http://127.0.0.1:1/certificates"}},
                                kClaims);

  EXPECT_EQ(outcome_of(token, test::key_set({p256().jwk("a")})), Outcome::Invalid);
}

TEST(Jws, RefusesCriticalExtensions) {
  for (json::Value const& critical :
       {json::Value{json::Array{"exp"}}, json::Value{json::Array{}}, json::Value{"b64"}}) {
    auto const token = p256().token(Algorithm::Es256,
                                    {{"alg", "ES256"}, {"kid", "a"}, {"crit", critical}}, kClaims);

    EXPECT_EQ(outcome_of(token, test::key_set({p256().jwk("a")})), Outcome::Refused);
  }
}

TEST(Jws, RefusesHugeTokens) {
  auto const token = p256().token(Algorithm::Es256, {{"alg", "ES256"}, {"kid", "a"}},
                                  {{"sub", std::string(Jws::kMaxBytes, 'x')}});

  EXPECT_EQ(outcome_of(token, test::key_set({p256().jwk("a")})), Outcome::Refused);
}

TEST(Jws, RefusesWhatIsNoToken) {
  auto const good = p256().token(Algorithm::Es256, {{"alg", "ES256"}}, kClaims);
  for (auto const& token :
       {std::string{}, std::string{"."}, std::string{".."}, std::string{"..."},
        std::string{"a.b.c"}, good + ".", good + ".AAAA.AAAA", good + "=", good + "\n", " " + good,
        good.substr(0, good.rfind('.') + 1), std::string{"W10.e30.AAAA"},
        base64::encode_url(R"({"alg":1})") + ".e30.AAAA",
        base64::encode_url(R"({"alg":["ES256"]})") + ".e30.AAAA",
        base64::encode_url(R"({"alg":"ES256","kid":1})") + ".e30.AAAA",
        base64::encode_url(R"({"alg":"ES256"})") + ".W10.AAAA"}) {
    EXPECT_FALSE(parse_jws(token, kAll)) << token;
  }
}

}  // namespace
}  // namespace sallyport::oauth
