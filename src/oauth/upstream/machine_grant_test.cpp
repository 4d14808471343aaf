// Grants for which nobody signs in, and proofs of possession, as the authorizer uses them.
#include "src/oauth/upstream/machine_grant.hpp"

#include "src/oauth/upstream/test_upstream_authorizer.hpp"

#include "tests/support/signing_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::oauth::upstream {
namespace {

using fakes::challenge;
using fakes::issuer_document;
using fakes::json_answer;
using fakes::kServer;
using fakes::kToken;
using fakes::token_answer;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

using MachineGrantTest = fakes::UpstreamAuthorizerTest;

TEST_F(MachineGrantTest, GetsATokenByClientCredentials) {
  settings_.kind = GrantKind::ClientCredentials;
  settings_.client = {.client_id = "robot", .client_secret = Secret{"s3cret"}};
  servers_.instead(kToken, json_answer(token_answer("m1")));
  servers_.on(kToken, json_answer(token_answer("m2")));
  EXPECT_EQ(token(), "none");

  EXPECT_EQ(message(refused(401, challenge(R"(Bearer scope="a")"))), "true");

  EXPECT_EQ(token(), "Bearer m1");
  EXPECT_EQ(servers_.last_field(kToken, "grant_type"), "client_credentials");
  EXPECT_EQ(servers_.last_field(kToken, "scope"), "a");
  EXPECT_EQ(servers_.last_field(kToken, "resource"), kServer);
  EXPECT_EQ(*servers_.last(kToken).headers.find("Authorization"), "Basic cm9ib3Q6czNjcmV0");
  now_ += 56min;
  EXPECT_EQ(token(), "Bearer m2");
}

TEST_F(MachineGrantTest, GetsATokenWithMoreRightsByClientCredentials) {
  settings_.kind = GrantKind::ClientCredentials;
  settings_.client = {.client_id = "robot", .client_secret = Secret{"s3cret"}};
  servers_.instead(kToken, json_answer(token_answer("m1")));
  servers_.on(kToken, json_answer(token_answer("m2")));
  EXPECT_EQ(message(refused(401, challenge(R"(Bearer scope="a")"))), "true");

  auto const more = challenge(R"(Bearer error="insufficient_scope", scope="b")");
  EXPECT_EQ(message(refused(403, more, "Bearer m1")), "true");

  EXPECT_EQ(servers_.last_field(kToken, "scope"), "a b");
  EXPECT_EQ(token(), "Bearer m2");
}

TEST_F(MachineGrantTest, SignsAnAssertionForClientCredentials) {
  auto const key = test::SigningKey::p256();
  settings_.kind = GrantKind::ClientCredentials;
  settings_.client = {.client_id = "robot",
                      .private_key = std::make_shared<PrivateKey const>(
                          *PrivateKey::from_pem(Secret{key.pem()}, "ES256"))};

  EXPECT_EQ(message(refused(401, challenge())), "true");

  EXPECT_EQ(servers_.last_field(kToken, "client_assertion_type"),
            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  EXPECT_NE(servers_.last_field(kToken, "client_assertion"), "");
}

TEST_F(MachineGrantTest, SaysWhatAMachineLacks) {
  settings_.kind = GrantKind::ClientCredentials;

  EXPECT_THAT(message(refused(401, challenge())), HasSubstr("shop needs a client_id"));
}

TEST_F(MachineGrantTest, ShowsTheTokenOfAWorkloadAndDoesNotTryTwice) {
  settings_.kind = GrantKind::JwtBearer;
  settings_.assertion = [] { return Result<Secret>{Secret{"workload-token"}}; };
  servers_.instead(kToken, json_answer(R"({"error":"invalid_grant"})", 400));

  auto const result = refused(401, challenge());

  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message + result.error().detail, Not(HasSubstr("workload-token")));
  EXPECT_FALSE(refused(401, challenge()));
  EXPECT_EQ(servers_.times(kToken), 1);
  EXPECT_EQ(servers_.last_field(kToken, "grant_type"),
            "urn:ietf:params:oauth:grant-type:jwt-bearer");
  EXPECT_EQ(servers_.last_field(kToken, "assertion"), "workload-token");
  EXPECT_THAT(servers_.last(kToken).body, Not(HasSubstr("client_id")));
}

TEST_F(MachineGrantTest, ExchangesAnIdentityAtTheCompanysProvider) {
  auto const* const idp = "POST https://idp.example/token";
  settings_.kind = GrantKind::EnterpriseManaged;
  settings_.client = {.client_id = "gateway", .client_secret = Secret{"s"}};
  settings_.assertion = [] { return Result<Secret>{Secret{"id-token"}}; };
  settings_.identity_provider = {.token_url = "https://idp.example/token", .client_id = "at-idp"};
  servers_.on(idp,
              json_answer(R"({"access_token":"the-jag","token_type":"N_A",)"
                          R"("issued_token_type":"urn:ietf:params:oauth:token-type:id-jag"})"));

  EXPECT_EQ(message(refused(401, challenge())), "true");

  EXPECT_EQ(servers_.last_field(idp, "grant_type"),
            "urn:ietf:params:oauth:grant-type:token-exchange");
  EXPECT_EQ(servers_.last_field(idp, "requested_token_type"),
            "urn:ietf:params:oauth:token-type:id-jag");
  EXPECT_EQ(servers_.last_field(idp, "subject_token"), "id-token");
  EXPECT_EQ(servers_.last_field(idp, "audience"), "https://as.example");
  EXPECT_EQ(servers_.last_field(idp, "resource"), kServer);
  EXPECT_EQ(servers_.last_field(idp, "client_id"), "at-idp");
  EXPECT_EQ(servers_.last_field(kToken, "assertion"), "the-jag");
  EXPECT_NE(servers_.last(kToken).headers.find("Authorization"), nullptr);
}

TEST_F(MachineGrantTest, DoesNotPassOnATokenOfTheProviderItself) {
  settings_.kind = GrantKind::EnterpriseManaged;
  settings_.client = {.client_id = "gateway", .client_secret = Secret{"s"}};
  settings_.assertion = [] { return Result<Secret>{Secret{"id-token"}}; };
  settings_.identity_provider = {.token_url = "https://idp.example/token"};
  servers_.on("POST https://idp.example/token", json_answer(token_answer("bearer")));

  EXPECT_THAT(message(refused(401, challenge())), HasSubstr("another kind"));
  EXPECT_EQ(servers_.times(kToken), 0);
}

class UpstreamProofs : public fakes::UpstreamAuthorizerTest {
 protected:
  void SetUp() override {
    settings_.kind = GrantKind::ClientCredentials;
    settings_.client = {.client_id = "robot", .client_secret = Secret{"s3cret"}};
    servers_.instead(
        fakes::kIssuerMetadata,
        json_answer(issuer_document(R"(,"dpop_signing_alg_values_supported":["ES256"])")));
    servers_.instead(kToken,
                     json_answer(R"({"access_token":"d1","token_type":"DPoP","expires_in":900})"));
    ASSERT_EQ(message(refused(401, challenge("DPoP"))), "true");
  }
  std::string proof() { return *headers()->find("DPoP"); }
  Result<bool> wants_nonce(std::string const& nonce, std::string const& sent_proof) {
    http::Headers const answer{{"WWW-Authenticate", R"(DPoP error="use_dpop_nonce")"},
                               {"DPoP-Nonce", nonce}};
    http::Headers const sent{{"Authorization", "DPoP d1"}, {"DPoP", sent_proof}};
    return test::run(authorizer().refused(401, answer, sent, {}));
  }
};

TEST_F(UpstreamProofs, ComeAnewWithEachRequest) {
  EXPECT_EQ(token(), "DPoP d1");
  EXPECT_NE(proof(), proof());
  EXPECT_NE(servers_.last(kToken).headers.find("DPoP"), nullptr);
}

TEST_F(UpstreamProofs, HaveTheNonceThatTheServerWants) {
  auto const before = proof();

  EXPECT_EQ(message(wants_nonce("n1", before)), "true");

  EXPECT_EQ(nonce_in(proof()), "n1");
  EXPECT_EQ(message(wants_nonce("n2", proof())), "true");
  EXPECT_EQ(nonce_in(proof()), "n2");
  EXPECT_EQ(servers_.times(kToken), 1);
}

TEST_F(UpstreamProofs, AreNotTriedForEverWithOneNonce) {
  EXPECT_EQ(message(wants_nonce("n1", proof())), "true");

  EXPECT_NE(message(wants_nonce("n1", proof())), "true");
}

}  // namespace
}  // namespace sallyport::oauth::upstream
