#include "src/oauth/private_key.hpp"

#include "src/oauth/public_key.hpp"

#include "tests/support/signing_key.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace sallyport::oauth {
namespace {

struct Case {
  test::SigningKey key;
  std::string algorithm;
};

Case const* cases(std::size_t& count) {
  static Case const all[] = {
      {test::SigningKey::rsa(), "RS256"},  {test::SigningKey::rsa(), "PS256"},
      {test::SigningKey::p256(), "ES256"}, {test::SigningKey::p384(), "ES384"},
      {test::SigningKey::p521(), "ES512"}, {test::SigningKey::ed25519(), "EdDSA"}};
  count = std::size(all);
  return all;
}

TEST(PrivateKey, SignsWhatItsPublicPartVerifies) {
  std::size_t count = 0;
  auto const* const all = cases(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto const& [signer, algorithm] = all[i];
    auto const key = PrivateKey::from_pem(Secret{signer.pem()}, algorithm);
    ASSERT_TRUE(key) << algorithm << ": " << key.error().message;

    auto const signature = key->sign("text");

    ASSERT_TRUE(signature) << algorithm;
    auto const verifier = PublicKey::from_jwk(signer.jwk("k"));
    EXPECT_TRUE(verifier->verify(key->algorithm(), "text", *signature)) << algorithm;
    EXPECT_FALSE(verifier->verify(key->algorithm(), "other", *signature)) << algorithm;
  }
}

TEST(PrivateKey, HasTheUsualAlgorithmOfItsTypeUnlessOneIsNamed) {
  EXPECT_EQ(PrivateKey::from_pem(Secret{test::SigningKey::rsa().pem()})->algorithm(),
            Algorithm::Rs256);
  EXPECT_EQ(PrivateKey::from_pem(Secret{test::SigningKey::p256().pem()})->algorithm(),
            Algorithm::Es256);
  EXPECT_EQ(PrivateKey::from_pem(Secret{test::SigningKey::p384().pem()})->algorithm(),
            Algorithm::Es384);
  EXPECT_EQ(PrivateKey::from_pem(Secret{test::SigningKey::ed25519().pem()})->algorithm(),
            Algorithm::EdDsa);
}

TEST(PrivateKey, RefusesWhatItCannotSignWithAndNeverRepeatsIt) {
  auto const weak = test::SigningKey::rsa(1024).pem();
  auto const good = test::SigningKey::p256().pem();
  std::string const locked =
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIBvTBXBgkqhkiG\n-----END ENCRYPTED PRIVATE "
      "KEY-----";
  std::pair<std::string, std::string> const wrong[] = {
      {"", ""},        {"hunter2", ""}, {locked, ""},   {weak, ""},
      {good, "RS256"}, {good, "ES384"}, {good, "none"}, {good.substr(0, good.size() / 2), ""}};
  for (auto const& [pem, algorithm] : wrong) {
    auto const key = PrivateKey::from_pem(Secret{pem}, algorithm);

    ASSERT_FALSE(key) << algorithm;
    EXPECT_EQ(key.error().code, Errc::InvalidInput);
    EXPECT_EQ(key.error().message.find("hunter2"), std::string::npos);
  }
}

}  // namespace
}  // namespace sallyport::oauth
