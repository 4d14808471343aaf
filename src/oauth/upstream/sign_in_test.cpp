#include "src/oauth/upstream/sign_in.hpp"

#include "src/oauth/upstream/test_upstream.hpp"
#include "src/store/digest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::oauth::upstream {
namespace {

using fakes::issuer_document;
using fakes::json_answer;
using fakes::kIssuerMetadata;
using fakes::kRedirectUri;
using fakes::kRevoke;
using fakes::kToken;
using fakes::parameter;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

constexpr auto* kProbe = "POST https://mcp.example/mcp";

class SignInTest : public testing::Test {
 protected:
  SignInTest() {
    fakes::usual_servers(servers_);
    servers_.on(kProbe, http::Response{.status = 401,
                                       .headers = {{"WWW-Authenticate", "Bearer scope=\"x\""}}});
  }

  Result<SignInStart> begin(std::string const& redirect_uri = kRedirectUri) {
    return test::run(sign_in_.begin(settings_, redirect_uri, {}));
  }
  Result<SignedIn> finish(std::string const& query, std::string const& owner = {}) {
    return test::run(sign_in_.finish(owner, query));
  }
  Result<SignedIn> sign_in() {
    auto const start = begin();
    if (!start) return start.error();
    return finish("code=the-code&state=" + start->state);
  }
  Grant stored() { return (*store_->grant(settings_)).value_or(Grant{}); }

  test::TempFolder folder_;
  store::SealingKey key_ = store::SealingKey::random();
  std::unique_ptr<GrantStore> store_ = fakes::open_store(folder_, key_);
  fakes::ScriptedServers servers_;
  ServerSettings settings_ = fakes::usual_settings();
  WallClock::time_point now_{std::chrono::hours{500'000}};
  SignIn sign_in_{servers_, *store_, [this] { return now_; }};
};

TEST_F(SignInTest, SendsTheBrowserAwayAndExchangesWhatItBrings) {
  auto const start = begin();
  ASSERT_TRUE(start) << start.error().message << start.error().detail;
  auto const& url = start->authorization_url;
  EXPECT_THAT(url, testing::StartsWith("https://as.example/authorize?"));
  EXPECT_EQ(parameter(url, "client_id"), "client-1");
  EXPECT_EQ(parameter(url, "scope"), "x");
  EXPECT_EQ(parameter(url, "resource"), fakes::kServer);
  EXPECT_EQ(parameter(url, "state"), start->state);

  auto const done = finish("code=the-code&state=" + start->state);

  ASSERT_TRUE(done) << done.error().message << done.error().detail;
  EXPECT_EQ(done->server, "shop");
  EXPECT_TRUE(done->lasting);
  EXPECT_EQ(servers_.last_field(kToken, "grant_type"), "authorization_code");
  EXPECT_EQ(servers_.last_field(kToken, "code"), "the-code");
  EXPECT_EQ(servers_.last_field(kToken, "redirect_uri"), kRedirectUri);
  EXPECT_EQ(servers_.last_field(kToken, "client_id"), "client-1");
  EXPECT_EQ(servers_.last_field(kToken, "resource"), fakes::kServer);
  EXPECT_EQ(store::sha256_base64url(servers_.last_field(kToken, "code_verifier")),
            parameter(url, "code_challenge"));
  EXPECT_EQ(stored().header_value.reveal(), "Bearer access-1");
  EXPECT_EQ(stored().refresh_token.reveal(), "refresh-1");
  EXPECT_EQ(stored().requested_scope, "x");
  EXPECT_EQ(stored().expires_at, unix_seconds(now_) + 3600);
}

TEST_F(SignInTest, KeepsTheVerifierFromTheBrowser) {
  auto const start = begin();
  ASSERT_TRUE(finish("code=c&state=" + start->state));

  EXPECT_THAT(start->authorization_url,
              Not(HasSubstr(servers_.last_field(kToken, "code_verifier"))));
}

TEST_F(SignInTest, TakesAStateOnceAndWithinTenMinutes) {
  auto const once = begin();
  ASSERT_TRUE(finish("code=c&state=" + once->state));
  EXPECT_FALSE(finish("code=c&state=" + once->state));
  EXPECT_FALSE(finish("code=c&state=guessed"));
  EXPECT_FALSE(finish("code=c"));

  auto const late = begin();
  now_ += 10min;

  EXPECT_FALSE(finish("code=c&state=" + late->state));
  EXPECT_EQ(servers_.times(kToken), 1);
}

TEST_F(SignInTest, TakesAnAnswerOnlyFromWhoBegan) {
  settings_.owner = "ada";
  auto const start = begin();

  EXPECT_FALSE(finish("code=c&state=" + start->state, "mallory"));

  EXPECT_EQ(servers_.times(kToken), 0);
  EXPECT_FALSE(finish("code=c&state=" + start->state, "ada"));  // spent
}

TEST_F(SignInTest, NeverAsksForATokenWithAnotherIssuersAnswer) {
  servers_.instead(
      kIssuerMetadata,
      json_answer(issuer_document(R"(,"authorization_response_iss_parameter_supported":true)")));
  for (auto const* const bad :
       {"code=c", "code=c&iss=https://evil.example", "code=c&iss=https://as.example/"}) {
    auto const start = begin();
    ASSERT_TRUE(start);
    EXPECT_FALSE(finish(std::string{bad} + "&state=" + start->state)) << bad;
  }
  EXPECT_EQ(servers_.times(kToken), 0);

  auto const start = begin();
  EXPECT_TRUE(finish("code=c&iss=https://as.example&state=" + start->state));
}

TEST_F(SignInTest, RefusesAServerWithoutPkce) {
  servers_.instead(kIssuerMetadata,
                   json_answer(R"({"issuer":"https://as.example",)"
                               R"("authorization_endpoint":"https://as.example/authorize",)"
                               R"("token_endpoint":"https://as.example/token"})"));

  EXPECT_THAT(begin().error().message, HasSubstr("PKCE"));
}

TEST_F(SignInTest, LooksWhoWouldBeAskedWithoutRegisteringAnybody) {
  ASSERT_TRUE(store_->put_challenge(settings_, {.scope = "x"}));

  auto const found = test::run(sign_in_.look(settings_, {}));

  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->authorization_server.issuer, "https://as.example");
  EXPECT_EQ(servers_.times(kProbe), 0);
  EXPECT_EQ(servers_.times(fakes::kRegister), 0);
}

TEST_F(SignInTest, LooksForWhatABrowserNeedsAndKeepsWhatTheServerAskedFor) {
  ASSERT_TRUE(store_->put_challenge(settings_, {.scope = "x"}));
  servers_.instead(kIssuerMetadata, json_answer(R"({"issuer":"https://as.example",)"
                                                R"("token_endpoint":"https://as.example/token",)"
                                                R"("code_challenge_methods_supported":["S256"]})"));

  auto const found = test::run(sign_in_.look(settings_, {}));

  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("authorization_endpoint"));
  EXPECT_TRUE(*store_->challenge(settings_));
}

TEST_F(SignInTest, UsesTheEndpointsOfTheSettings) {
  settings_.client.client_id = "mine";
  settings_.endpoints = {.authorization_url = "https://stated.example/a?tenant=1",
                         .token_url = "https://stated.example/t",
                         .issuer = "https://named.example",
                         .resource = "https://mcp.example"};
  servers_.on("POST https://stated.example/t", json_answer(fakes::token_answer("access-2")));

  auto const start = begin();

  ASSERT_TRUE(start) << start.error().message;
  EXPECT_THAT(start->authorization_url, testing::StartsWith("https://stated.example/a?tenant=1&"));
  EXPECT_EQ(parameter(start->authorization_url, "resource"), "https://mcp.example");
  ASSERT_TRUE(finish("code=c&iss=https://named.example&state=" + start->state));
  EXPECT_EQ(stored().header_value.reveal(), "Bearer access-2");
  EXPECT_EQ(servers_.times(kIssuerMetadata), 0);
}

TEST_F(SignInTest, RefusesARedirectOverAnOpenWire) {
  EXPECT_FALSE(begin("http://gateway.example/callback"));
  EXPECT_FALSE(begin("javascript:alert(1)"));
  EXPECT_TRUE(servers_.requests.empty());
  EXPECT_TRUE(begin("https://gateway.example/callback"));
}

TEST_F(SignInTest, ShowsItsSecretAsTheServerSupports) {
  settings_.client = {.client_id = "mine", .client_secret = Secret{"s3cret"}};
  ASSERT_TRUE(sign_in());
  EXPECT_EQ(*servers_.last(kToken).headers.find("Authorization"), "Basic bWluZTpzM2NyZXQ=");
  EXPECT_EQ(servers_.last_field(kToken, "client_secret"), "");

  settings_.client.client_auth = ClientAuth::SecretPost;

  ASSERT_TRUE(sign_in());
  EXPECT_EQ(servers_.last_field(kToken, "client_secret"), "s3cret");
}

TEST_F(SignInTest, AsksForWhatWasAskedBeforeAndWhatIsMissing) {
  ASSERT_TRUE(sign_in());
  ASSERT_TRUE(store_->put_challenge(settings_, {.scope = "y", .error = "insufficient_scope"}));

  auto const start = begin();

  EXPECT_EQ(parameter(start->authorization_url, "scope"), "x y");
  EXPECT_EQ(servers_.times(kProbe), 1);  // it had said what it wants
  ASSERT_TRUE(finish("code=c&state=" + start->state));
  EXPECT_FALSE(*store_->challenge(settings_));
}

TEST_F(SignInTest, RegistersAnewWithANewAuthorizationServer) {
  ASSERT_TRUE(sign_in());
  servers_.instead(fakes::kResourceMetadata,
                   json_answer(R"({"resource":"https://mcp.example/mcp",)"
                               R"("authorization_servers":["https://as2.example"]})"));
  servers_.on("GET https://as2.example/.well-known/oauth-authorization-server",
              json_answer(R"({"issuer":"https://as2.example",)"
                          R"("authorization_endpoint":"https://as2.example/authorize",)"
                          R"("token_endpoint":"https://as2.example/token",)"
                          R"("registration_endpoint":"https://as2.example/register",)"
                          R"("token_endpoint_auth_methods_supported":["none"],)"
                          R"("code_challenge_methods_supported":["S256"]})"));
  servers_.on("POST https://as2.example/register", json_answer(R"({"client_id":"other"})", 201));

  EXPECT_EQ(parameter(begin()->authorization_url, "client_id"), "other");
}

TEST_F(SignInTest, RegistersAgainWithAServerThatHasForgottenUs) {
  ASSERT_TRUE(sign_in());
  servers_.instead(kToken, json_answer(R"({"error":"invalid_client"})", 401));
  EXPECT_FALSE(sign_in());
  EXPECT_EQ(servers_.times(fakes::kRegister), 1);

  EXPECT_FALSE(sign_in());

  EXPECT_EQ(servers_.times(fakes::kRegister), 2);
}

TEST_F(SignInTest, RegistersAgainAfterASignInThatNobodyCameBackFrom) {
  auto const start = begin();
  ASSERT_TRUE(start);
  now_ += 1h;  // it has waited to the end

  EXPECT_EQ(*sign_in_.give_up(start->state), true);

  ASSERT_TRUE(begin());
  EXPECT_EQ(servers_.times(fakes::kRegister), 2);
}

TEST_F(SignInTest, GivesNothingUpThatIsOverOrThatTheOperatorRegistered) {
  auto const start = begin();
  ASSERT_TRUE(finish("code=c&state=" + start->state));
  EXPECT_EQ(*sign_in_.give_up(start->state), false);
  ASSERT_TRUE(begin());
  EXPECT_EQ(servers_.times(fakes::kRegister), 1);

  settings_.client.client_id = "mine";
  EXPECT_EQ(*sign_in_.give_up(begin()->state), false);
}

TEST_F(SignInTest, RegistersAgainAfterSigningOutAlsoWhereNobodyWasSignedIn) {
  ASSERT_TRUE(begin());

  ASSERT_TRUE(test::run(sign_in_.sign_out(settings_)));

  ASSERT_TRUE(begin());
  EXPECT_EQ(servers_.times(fakes::kRegister), 2);
}

TEST_F(SignInTest, KeepsTheAnswersOfTheTokenEndpointToItself) {
  servers_.instead(kToken,
                   json_answer(R"({"error":"invalid_grant","error_description":"the-code"})", 400));

  auto const done = sign_in();

  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().detail, HasSubstr("invalid_grant"));
  EXPECT_THAT(done.error().message + done.error().detail, Not(HasSubstr("the-code")));
  EXPECT_EQ(stored().header_value.reveal(), "");
}

TEST_F(SignInTest, RevokesBothTokensWhenSigningOutAndForgetsThem) {
  ASSERT_TRUE(sign_in());

  EXPECT_TRUE(test::run(sign_in_.sign_out(settings_)));

  EXPECT_EQ(servers_.times(kRevoke), 2);
  EXPECT_EQ(servers_.last_field(kRevoke, "token"), "access-1");
  EXPECT_EQ(servers_.last_field(kRevoke, "client_id"), "client-1");
  EXPECT_EQ(servers_.last_field(kRevoke, "resource"), "");
  EXPECT_FALSE(*store_->grant(settings_));
}

TEST_F(SignInTest, ForgetsTheTokensAlsoWhereTheyCannotBeRevoked) {
  ASSERT_TRUE(sign_in());
  servers_.instead(kRevoke, fail(Errc::UpstreamFailed, "down"));

  EXPECT_FALSE(test::run(sign_in_.sign_out(settings_)));

  EXPECT_FALSE(*store_->grant(settings_));
}

TEST_F(SignInTest, HasBoundsOnHowManyAreBegun) {
  auto const first = begin();
  for (int i = 0; i < 256; ++i) {
    now_ += 1s;
    ASSERT_TRUE(begin());
  }

  EXPECT_FALSE(finish("code=c&state=" + first->state));
}

TEST_F(SignInTest, BindsTokensToAKeyWhereTheServersWantIt) {
  servers_.instead(kProbe,
                   http::Response{.status = 401, .headers = {{"WWW-Authenticate", "DPoP"}}});
  servers_.instead(
      kIssuerMetadata,
      json_answer(issuer_document(R"(,"dpop_signing_alg_values_supported":["ES256"])")));
  auto nonce = json_answer(R"({"error":"use_dpop_nonce"})", 400);
  nonce.headers.add("DPoP-Nonce", "n-1");
  servers_.instead(kToken, nonce);
  servers_.on(kToken, json_answer(R"({"access_token":"a","token_type":"DPoP","expires_in":60})"));

  ASSERT_TRUE(sign_in());

  EXPECT_EQ(servers_.times(kToken), 2);
  auto const request = servers_.last(kToken);
  auto const* const proof = request.headers.find("DPoP");
  ASSERT_NE(proof, nullptr);
  EXPECT_EQ(nonce_in(*proof), "n-1");
  EXPECT_EQ(stored().header_value.reveal(), "DPoP a");
  EXPECT_TRUE(DpopKey::from_pem(stored().dpop_key));
}

}  // namespace
}  // namespace sallyport::oauth::upstream
