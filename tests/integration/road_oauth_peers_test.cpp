// Tokens from authorization servers that we did not write (oidc-provider, oauth2-mock-server): what
// they were sent, and what the site was. Skipped, with a notice, where the peers are not installed.
#include "src/oauth/jws.hpp"

#include "tests/support/gateway.hpp"
#include "tests/support/peers.hpp"
#include "tests/support/request_log.hpp"
#include "tests/support/signing_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace sallyport::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class RoadOauthPeers : public testing::Test {
 protected:
  // `auth` has the fields besides type and token_url.
  GatewayOptions options(std::string const& auth) const {
    auto const port = std::to_string(site_.port());
    return {.egress = open({"127.0.0.1:" + port}) +
                      "  inject:\n  - {host: 127.0.0.1, schemes: [http], ports: [" + port +
                      "], auth: {type: oauth_client_credentials, token_url: \"" + issuer_ +
                      "/token\", " + auth + "}}\n",
            .environment = {"TEST_SECRET=service-secret", "TEST_POSTER=poster-secret"}};
  }

  // The next report of the server: what it was sent.
  json::Object report() {
    auto line = peer_->line();
    while (!line.empty() && !line.starts_with('{')) line = peer_->line();  // notices of the package
    EXPECT_NE(line, "");
    return parsed(line);
  }
  static std::string sent(json::Object const& report, std::string_view name) {
    return Reply::text_in(report.at("sent").as_object(), name);
  }

  std::string token(std::size_t request) const {
    auto const text = log_.all().at(request);
    auto const at = text.find("Authorization: Bearer ");
    EXPECT_NE(at, std::string::npos) << text;
    return text.substr(at + 22, text.find('\r', at) - at - 22);
  }
  static json::Object claims(std::string const& token) {
    auto const jws = oauth::parse_jws(token, {oauth::Algorithm::Rs256, oauth::Algorithm::Es256});
    EXPECT_TRUE(jws) << token;
    return jws ? jws->claims : json::Object{};
  }
  static std::int64_t seconds_left(json::Object const& claims) {
    auto const now = std::chrono::system_clock::now().time_since_epoch();
    return claims.at("exp").to_number<std::int64_t>() -
           std::chrono::duration_cast<std::chrono::seconds>(now).count();
  }

  std::unique_ptr<ChildProcess> peer_;
  std::string issuer_;
  RequestLog log_;
  Origin site_{log_.answering(Origin::ok("page"))};
};

class RoadOauthOidcProvider : public RoadOauthPeers {
 protected:
  void SetUp() override {
    auto jwk = key_.jwk("key-1");
    jwk["alg"] = "ES256";
    jwk["use"] = "sig";
    SP_START_PEER(peer_, "oidc_provider.mjs",
                  {"TEST_REPORT=1", "TEST_CLIENT_JWK=" + json::to_text(jwk)});
    issuer_ = peer_->line();
    ASSERT_THAT(issuer_, StartsWith("http://127.0.0.1:"));
  }

  SigningKey key_ = SigningKey::p256();
};

TEST_F(RoadOauthOidcProvider, GivesASignedTokenForAResourceThatIsUsedAgain) {
  Gateway gateway{
      options("client_id: service, client_secret: \"env:TEST_SECRET\", client_auth: "
              "client_secret_basic, scope: mcp:read, resource: "
              "\"https://api.example/ES256\"")};

  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");
  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");

  auto const asked = report();
  EXPECT_EQ(sent(asked, "grant_type"), "client_credentials");
  EXPECT_EQ(sent(asked, "scope"), "mcp:read");
  EXPECT_EQ(sent(asked, "resource"), "https://api.example/ES256");
  EXPECT_EQ(sent(asked, "client_secret"), "");
  EXPECT_EQ(Reply::text_in(asked, "authorization"), "Basic c2VydmljZTpzZXJ2aWNlLXNlY3JldA==");
  auto const said = claims(token(0));
  EXPECT_EQ(said.at("iss"), json::Value(issuer_));
  EXPECT_EQ(said.at("client_id"), "service");
  EXPECT_EQ(said.at("aud"), "https://api.example/ES256");
  EXPECT_EQ(said.at("scope"), "mcp:read");
  EXPECT_NEAR(static_cast<double>(seconds_left(said)), 300, 20);
  EXPECT_EQ(token(1), token(0));
}

TEST_F(RoadOauthOidcProvider, GivesAnOpaqueTokenToAClientThatSendsItsSecretInTheBody) {
  Gateway gateway{options("client_id: poster, client_secret: \"env:TEST_POSTER\"")};

  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");

  auto const asked = report();
  EXPECT_EQ(sent(asked, "client_id"), "poster");
  EXPECT_EQ(sent(asked, "client_secret"), "poster-secret");
  EXPECT_EQ(Reply::text_in(asked, "authorization"), "");
  EXPECT_THAT(token(0), Not(HasSubstr(".")));
}

TEST_F(RoadOauthOidcProvider, BelievesAnAssertionThatIsSignedWithOurKey) {
  TempFolder const folder;
  folder.write("key.pem", key_.pem());
  Gateway gateway{
      options("client_id: signer, client_auth: private_key_jwt, key_id: key-1, "
              "private_key: \"file:" +
              folder.file("key.pem") + "\", assertion_audience: \"" + issuer_ + "\"")};

  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");

  auto const asked = report();
  EXPECT_EQ(asked.at("status"), 200);
  EXPECT_EQ(sent(asked, "client_secret"), "");
  EXPECT_THAT(sent(asked, "client_assertion"), StartsWith("ey"));
  EXPECT_THAT(log_.all(), SizeIs(1));
}

TEST_F(RoadOauthOidcProvider, RefusesAWrongSecretAndNobodyLearnsIt) {
  Gateway gateway{options("client_id: poster, client_secret: \"env:TEST_SECRET\"")};

  auto const reply = gateway.fetch(site_.url());

  EXPECT_EQ(reply.code, "credential_unavailable");
  EXPECT_EQ(report().at("status"), 401);
  EXPECT_THAT(log_.all(), SizeIs(0));
  EXPECT_THAT(gateway.log(), HasSubstr("status 401, invalid_client"));
  EXPECT_THAT(gateway.log() + reply.whole, Not(HasSubstr("service-secret")));
}

class RoadOauthMockServer : public RoadOauthPeers {
 protected:
  void SetUp() override {
    SP_START_PEER(peer_, "oauth2_mock_server.mjs", {});
    issuer_ = peer_->line();
    ASSERT_THAT(issuer_, StartsWith("http://127.0.0.1:"));
  }
  static std::string answered(json::Object const& report, std::string_view name) {
    return Reply::text_in(report.at("answer").as_object(), name);
  }
};

TEST_F(RoadOauthMockServer, GivesATokenWithTheClaimsThatWeAskedFor) {
  Gateway gateway{
      options("client_id: agent, client_secret: \"env:TEST_SECRET\", audience: shop, "
              "scope: a b, parameters: {tenant: t1}")};

  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");
  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");

  auto const asked = report();
  EXPECT_EQ(sent(asked, "client_secret"), "service-secret");
  EXPECT_EQ(sent(asked, "tenant"), "t1");
  EXPECT_EQ(token(0), answered(asked, "access_token"));
  EXPECT_EQ(token(1), token(0));
  auto const said = claims(token(0));
  EXPECT_EQ(said.at("iss"), json::Value(issuer_));
  EXPECT_EQ(said.at("azp"), "agent");
  EXPECT_EQ(said.at("aud"), "shop");
  EXPECT_EQ(said.at("scope"), "a b");
  EXPECT_GT(seconds_left(said), 3000);
}

TEST_F(RoadOauthMockServer, RenewsWithTheRefreshTokenThatItGave) {
  Gateway gateway{options("client_id: agent, client_secret: \"env:TEST_SECRET\", scope: brief")};

  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");
  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");

  auto const first = report();
  auto const second = report();
  EXPECT_EQ(sent(second, "grant_type"), "refresh_token");
  EXPECT_EQ(sent(second, "refresh_token"), answered(first, "refresh_token"));
  EXPECT_EQ(token(1), answered(second, "access_token"));
}

TEST_F(RoadOauthMockServer, StatesTheExpiryInTheTokenAlone) {
  Gateway gateway{
      options("client_id: agent, client_secret: \"env:TEST_SECRET\", scope: unstated, "
              "assumed_lifetime_secs: 0")};

  // Kept, although one that says nothing would be expired at once.
  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");
  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");

  EXPECT_EQ(json::find(report().at("answer").as_object(), "expires_in"), nullptr);
  EXPECT_EQ(token(1), token(0));
}

}  // namespace
}  // namespace sallyport::test
