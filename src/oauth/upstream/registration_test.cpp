#include "src/oauth/upstream/registration.hpp"

#include "src/oauth/upstream/test_upstream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::oauth::upstream {
namespace {

using fakes::json_answer;
using fakes::kRegister;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class RegistrationTest : public testing::Test {
 protected:
  RegistrationTest() { fakes::usual_servers(servers_); }

  Result<Client> client(std::string const& redirect_uri = fakes::kRedirectUri) {
    return test::run(client_for({servers_, *store_, settings_, issuer_, now_}, redirect_uri, {}));
  }
  json::Object sent() const { return json::parse(servers_.last(kRegister).body)->as_object(); }

  test::TempFolder folder_;
  store::SealingKey key_ = store::SealingKey::random();
  std::unique_ptr<GrantStore> store_ = fakes::open_store(folder_, key_);
  fakes::ScriptedServers servers_;
  ServerSettings settings_ = fakes::usual_settings();
  WallClock::time_point now_{std::chrono::hours{500'000}};
  AuthorizationServer issuer_{.issuer = "https://as.example",
                              .token_endpoint = "https://as.example/token",
                              .registration_endpoint = "https://as.example/register"};
};

TEST_F(RegistrationTest, PrefersTheClientOfTheConfiguration) {
  settings_.client = {.client_id = "mine", .metadata_document = "https://us.example/client.json"};
  issuer_.takes_metadata_documents = true;

  EXPECT_EQ(client()->id, "mine");
  EXPECT_THAT(servers_.requests, SizeIs(0));
}

TEST_F(RegistrationTest, ThenOurDocumentWhereTheServerReadsIt) {
  settings_.client.metadata_document = "https://us.example/client.json";
  issuer_.takes_metadata_documents = true;

  auto const found = client();

  EXPECT_EQ(found->id, "https://us.example/client.json");
  EXPECT_EQ(found->auth, ClientAuth::None);
  EXPECT_THAT(servers_.requests, SizeIs(0));
  issuer_.takes_metadata_documents = false;
  EXPECT_EQ(client()->id, "client-1");
}

TEST_F(RegistrationTest, TakesOnlyADocumentThatNobodyElseCanAnswerFor) {
  issuer_.takes_metadata_documents = true;
  for (auto const* const bad : {"http://127.0.0.1/client.json", "https://us.example/",
                                "client.json", "https://u:p@us.example/c.json"}) {
    settings_.client.metadata_document = bad;
    EXPECT_FALSE(client()) << bad;
  }
}

TEST_F(RegistrationTest, ThenRegistersAndKeepsThatForTheIssuerAndRedirectUri) {
  servers_.instead(kRegister, json_answer(R"({"client_id":"c1"})", 201));
  EXPECT_EQ(client()->id, "c1");
  servers_.instead(kRegister, json_answer(R"({"client_id":"c2"})", 201));

  EXPECT_EQ(client()->id, "c1");
  EXPECT_EQ(client("https://gateway.example/callback")->id, "c2");
  issuer_.issuer = "https://as2.example";
  EXPECT_EQ(client()->id, "c2");  // never what another issuer gave
  EXPECT_EQ(servers_.times(kRegister), 3);
}

TEST_F(RegistrationTest, SaysWhatTheClientIs) {
  EXPECT_TRUE(client());

  auto const native = sent();
  EXPECT_EQ(native.at("application_type"), "native");
  EXPECT_EQ(native.at("redirect_uris").as_array().at(0), fakes::kRedirectUri);
  EXPECT_EQ(native.at("grant_types"), (json::Array{"authorization_code", "refresh_token"}));
  EXPECT_EQ(native.at("token_endpoint_auth_method"), "client_secret_basic");
  issuer_.auth_methods = {{"client_secret_post", "none"}};
  EXPECT_TRUE(client("https://gateway.example/callback"));
  EXPECT_EQ(sent().at("application_type"), "web");
  EXPECT_EQ(sent().at("token_endpoint_auth_method"), "none");
}

TEST_F(RegistrationTest, UsesTheMethodThatTheAnswerStates) {
  struct Case {
    char const* answer;
    std::optional<ClientAuth> auth;
  };
  issuer_.auth_methods = {{"none", "client_secret_post"}};
  for (
      auto const& [answer, auth] : std::vector<Case>{
          {R"({"client_id":"a"})", ClientAuth::None},
          {R"({"client_id":"a","client_secret":"s"})", ClientAuth::SecretPost},
          {R"({"client_id":"a","client_secret":"s","token_endpoint_auth_method":"client_secret_basic"})",
           ClientAuth::SecretBasic},
          {R"({"client_id":"a","client_secret":"s","token_endpoint_auth_method":"none"})",
           ClientAuth::None},
          {R"({"client_id":"a","token_endpoint_auth_method":"client_secret_basic"})", {}},
          {R"({"client_id":"a","token_endpoint_auth_method":"private_key_jwt"})", {}},
          {R"({"client_id":"a","client_id":"b"})", {}},
          {R"({"client_id":""})", {}},
          {R"({"client_id":"a\nb"})", {}},
          {R"({"client_id":7})", {}},
          {"[]", {}}}) {
    auto const client = read_registration(json_answer(answer, 201), issuer_);
    ASSERT_EQ(client.has_value(), auth.has_value()) << answer;
    if (auth) {
      EXPECT_EQ(client->auth, *auth) << answer;
    }
  }
}

TEST_F(RegistrationTest, LeavesOutASecretThatTheServerDoesNotTake) {
  issuer_.auth_methods = {{"none"}};

  auto const client =
      read_registration(json_answer(R"({"client_id":"a","client_secret":"s"})", 201), issuer_);

  ASSERT_TRUE(client);
  EXPECT_EQ(client->auth, ClientAuth::None);
}

TEST_F(RegistrationTest, RegistersAgainWhenTheSecretHasExpired) {
  auto const soon = std::to_string(unix_seconds(now_) + 3600);
  servers_.instead(kRegister, json_answer(R"({"client_id":"c1","client_secret":"s",)"
                                          R"("client_secret_expires_at":)" +
                                              soon + "}",
                                          201));
  EXPECT_EQ(client()->id, "c1");
  servers_.instead(kRegister, json_answer(R"({"client_id":"c2"})", 201));
  EXPECT_EQ(client()->id, "c1");

  now_ += std::chrono::hours{1};

  EXPECT_EQ(client()->id, "c2");
}

TEST_F(RegistrationTest, FallsBackOnTheIdOfTheConfiguration) {
  servers_.instead(kRegister, json_answer(R"({"error":"invalid_client_metadata"})", 400));
  settings_.client.fallback_client_id = "well-known";

  EXPECT_EQ(client()->id, "well-known");
  issuer_.registration_endpoint.clear();
  EXPECT_EQ(client()->id, "well-known");
}

TEST_F(RegistrationTest, ElseSaysWhatToConfigureAndNothingOfTheAnswer) {
  servers_.instead(
      kRegister, json_answer(R"({"error":"invalid_redirect_uri","error_description":"<b>"})", 400));

  auto const refused = client();

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::CredentialUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("client_id"));
  EXPECT_THAT(refused.error().detail, HasSubstr("invalid_redirect_uri"));
  EXPECT_THAT(refused.error().message + refused.error().detail, Not(HasSubstr("<b>")));
}

TEST_F(RegistrationTest, DoesNotBlameTheConfigurationForTheNetwork) {
  servers_.instead(kRegister, fail(Errc::UpstreamFailed, "down"));

  EXPECT_EQ(client().error().code, Errc::UpstreamFailed);
}

TEST_F(RegistrationTest, ChoosesHowASecretIsShownByWhatTheServerSupports) {
  settings_.client = {.client_id = "mine", .client_secret = Secret{"s"}};

  EXPECT_EQ(client()->auth, ClientAuth::SecretBasic);  // RFC 8414: the default
  issuer_.auth_methods = {{"client_secret_post"}};
  EXPECT_EQ(client()->auth, ClientAuth::SecretPost);
  issuer_.auth_methods = {{"tls_client_auth"}};
  EXPECT_FALSE(client());
  settings_.client.client_auth = ClientAuth::SecretPost;
  EXPECT_EQ(client()->auth, ClientAuth::SecretPost);
}

}  // namespace
}  // namespace sallyport::oauth::upstream
