#include "src/oauth/authenticator.hpp"

#include "tests/support/run.hpp"
#include "tests/support/signing_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::oauth {
namespace {

using testing::HasSubstr;
using testing::Not;

struct FakeClient final : http::Client {
  Task<http::Response> send(http::ClientRequest) override {
    ++calls;
    co_return answer;
  }
  int calls{0};
  Result<http::Response> answer = fail(Errc::UpstreamFailed, "down");
};

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class AuthenticatorTest : public testing::Test {
 protected:
  AuthenticatorTest() { client_.answer = http::Response{.body = test::key_set({key_.jwk("a")})}; }

  static InboundOptions jwt_options() {
    return {.jwt = JwtOptions{.issuer = "https://as.example",
                              .audiences = {"https://mcp.example/mcp"},
                              .jwks_url = "https://as.example/keys",
                              .required_scopes = {"mcp:read"}},
            .resource = "https://mcp.example/mcp"};
  }
  static InboundOptions token_options() {
    return {.tokens = {{"alice", Secret{"alices-token"}, {"read"}, CallerKind::Model},
                       {.principal = "bob", .token = Secret{"bobs-token"}}}};
  }

  std::unique_ptr<Authenticator> make(InboundOptions options) {
    auto made = make_authenticator(std::move(options), &client_);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }

  json::Object claims() const {
    return {{"iss", "https://as.example"},
            {"aud", "https://mcp.example/mcp"},
            {"exp", now() + 300},
            {"sub", "alice"},
            {"scope", "mcp:read mcp:write"}};
  }
  std::string token(json::Object const& claims, std::string_view kid = "a") const {
    return key_.token(Algorithm::Es256, {{"alg", "ES256"}, {"kid", kid}, {"typ", "at+jwt"}},
                      claims);
  }
  json::Object claims_with(std::string_view name, json::Value value) const {
    auto all = claims();
    all[name] = std::move(value);
    return all;
  }

  static Task<Verdict> ask(Authenticator& authenticator, http::ServerRequest const& request) {
    co_return co_await authenticator.authenticate(request);
  }
  static Verdict verdict(Authenticator& authenticator, http::ServerRequest const& request) {
    return *test::run(ask(authenticator, request));
  }
  static Verdict with_token(Authenticator& authenticator, std::string const& token) {
    return verdict(authenticator,
                   {.path = "/mcp", .headers = {{"Authorization", "Bearer " + token}}});
  }
  static Refusal refusal(Verdict const& verdict) {
    auto const* refused = std::get_if<Refusal>(&verdict);
    EXPECT_NE(refused, nullptr);
    return refused == nullptr ? Refusal{.status = 200} : *refused;
  }
  static std::string principal(Verdict const& verdict) {
    auto const* allowed = std::get_if<Principal>(&verdict);
    return allowed == nullptr ? "(refused)" : allowed->id;
  }

  test::SigningKey key_ = test::SigningKey::p256();
  FakeClient client_;
};

TEST_F(AuthenticatorTest, KnowsStaticTokens) {
  auto const authenticator = make(token_options());

  auto const alice = with_token(*authenticator, "alices-token");

  ASSERT_EQ(principal(alice), "alice");
  EXPECT_EQ(std::get<Principal>(alice).scopes, std::vector<std::string>{"read"});
  EXPECT_EQ(std::get<Principal>(alice).kind, CallerKind::Model);
  EXPECT_EQ(principal(with_token(*authenticator, "bobs-token")), "bob");
  for (auto const* wrong : {"alices-toke", "alices-tokenx", "Alices-token", "alice"}) {
    auto const refused = refusal(with_token(*authenticator, wrong));
    EXPECT_EQ(refused.status, 401) << wrong;
    EXPECT_THAT(refused.www_authenticate, HasSubstr("error=\"invalid_token\""));
  }
}

TEST_F(AuthenticatorTest, AcceptsATokenOfTheAuthorizationServer) {
  auto const authenticator = make(jwt_options());

  auto const verdict = with_token(*authenticator, token(claims()));

  ASSERT_EQ(principal(verdict), "alice");
  EXPECT_EQ(std::get<Principal>(verdict).issuer, "https://as.example");
  EXPECT_EQ(std::get<Principal>(verdict).scopes,
            (std::vector<std::string>{"mcp:read", "mcp:write"}));
}

TEST_F(AuthenticatorTest, RefusesTokensForOthersAndOtherTimes) {
  auto const authenticator = make(jwt_options());
  struct Case {
    json::Object claims;
    char const* reason;
  };
  for (auto const& [claims, reason] :
       {Case{claims_with("aud", "https://other.example"), "audience"},
        Case{claims_with("iss", "https://evil.example"), "issuer"},
        Case{claims_with("exp", now() - 3600), "expired"},
        Case{claims_with("nbf", now() + 3600), "not valid yet"}}) {
    auto const refused = refusal(with_token(*authenticator, token(claims)));
    EXPECT_EQ(refused.status, 401) << reason;
    EXPECT_THAT(refused.message, HasSubstr(reason));
    EXPECT_THAT(refused.www_authenticate,
                HasSubstr("Bearer resource_metadata=\"https://mcp.example/.well-known/"
                          "oauth-protected-resource/mcp\", scope=\"mcp:read\", "
                          "error=\"invalid_token\", error_description=\""));
  }
}

TEST_F(AuthenticatorTest, TellsAForgedTokenNothingAboutItsClaims) {
  auto const authenticator = make(jwt_options());
  auto const forger = test::SigningKey::p256();
  auto const forged = forger.token(Algorithm::Es256, {{"alg", "ES256"}, {"kid", "a"}},
                                   claims_with("aud", "https://other.example"));

  auto const refused = refusal(with_token(*authenticator, forged));

  EXPECT_EQ(refused.status, 401);
  EXPECT_THAT(refused.message, HasSubstr("signature"));
}

TEST_F(AuthenticatorTest, AsksForMissingScopes) {
  auto const authenticator = make(jwt_options());

  auto const refused =
      refusal(with_token(*authenticator, token(claims_with("scope", "mcp:write"))));

  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.www_authenticate,
              HasSubstr("scope=\"mcp:read\", error=\"insufficient_scope\""));
}

TEST_F(AuthenticatorTest, NamesNoErrorWhenNoCredentialsWereSent) {
  auto const authenticator = make(jwt_options());

  for (auto const& headers : {http::Headers{}, http::Headers{{"Authorization", "Basic YTpi"}}}) {
    auto const refused = refusal(verdict(*authenticator, {.path = "/mcp", .headers = headers}));
    EXPECT_EQ(refused.status, 401);
    EXPECT_EQ(refused.www_authenticate,
              "Bearer resource_metadata=\"https://mcp.example/.well-known/"
              "oauth-protected-resource/mcp\", scope=\"mcp:read\"");
  }
}

TEST_F(AuthenticatorTest, TakesNoTokenFromTheQueryString) {
  auto const authenticator = make(token_options());

  auto const refused =
      refusal(verdict(*authenticator, {.path = "/mcp", .query = "access_token=alices-token"}));

  EXPECT_EQ(refused.status, 401);
}

TEST_F(AuthenticatorTest, CallsAMalformedHeaderABadRequest) {
  auto const authenticator = make(token_options());

  auto const refused =
      refusal(verdict(*authenticator, {.headers = {{"Authorization", "Bearer alices-token"},
                                                   {"Authorization", "Bearer alices-token"}}}));

  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.www_authenticate, HasSubstr("error=\"invalid_request\""));
}

TEST_F(AuthenticatorTest, NeverRepeatsATokenInARefusal) {
  auto options = token_options();
  options.jwt = jwt_options().jwt;
  auto const authenticator = make(options);
  auto const expired = token(claims_with("exp", now() - 3600));

  for (auto const& sent :
       {std::string{"guessed-token"}, expired, expired + "x", std::string(20'000, 'x')}) {
    auto const refused = refusal(with_token(*authenticator, sent));
    EXPECT_THAT(refused.message, Not(HasSubstr(sent)));
    EXPECT_THAT(refused.www_authenticate, Not(HasSubstr(sent)));
    EXPECT_THAT(refused.message, Not(HasSubstr(sent.substr(0, 10))));
  }
}

TEST_F(AuthenticatorTest, InventedKidsFetchKeysOnce) {
  auto const authenticator = make(jwt_options());

  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(refusal(with_token(*authenticator, token(claims(), "k" + std::to_string(i)))).status,
              401);
  }

  EXPECT_EQ(client_.calls, 1);
}

TEST_F(AuthenticatorTest, SaysThatTokensCannotBeCheckedWhenThereAreNoKeys) {
  client_.answer = fail(Errc::UpstreamFailed, "down");
  auto const authenticator = make(jwt_options());

  auto const refused = refusal(with_token(*authenticator, token(claims())));

  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.www_authenticate, "");
}

TEST_F(AuthenticatorTest, BelievesAProxyOnlyWithoutAnAuthorizationHeader) {
  auto options = token_options();
  options.forward = ForwardAuthOptions{.proxies = {"10.0.0.0/8"}};
  auto const authenticator = make(options);
  http::ServerRequest const forwarded{.headers = {{"X-Forwarded-User", "carol"}},
                                      .peer_address = "10.0.0.1"};
  auto spoofed = forwarded;
  spoofed.peer_address = "192.0.2.1";
  auto both = forwarded;
  both.headers.add("Authorization", "Bearer wrong");
  auto basic = forwarded;
  basic.headers.add("Authorization", "Basic YTpi");

  EXPECT_EQ(principal(verdict(*authenticator, forwarded)), "carol");
  EXPECT_EQ(refusal(verdict(*authenticator, spoofed)).status, 401);
  EXPECT_EQ(refusal(verdict(*authenticator, both)).status, 401);
  EXPECT_EQ(refusal(verdict(*authenticator, basic)).status, 401);
}

TEST_F(AuthenticatorTest, ReadsKeysFromAFile) {
  auto const path = testing::TempDir() + "sallyport_jwks_test.json";
  std::ofstream{path} << test::key_set({key_.jwk("a")});
  auto options = jwt_options();
  options.jwt->jwks_url.clear();
  options.jwt->jwks_file = path;
  auto const authenticator = make(options);
  std::remove(path.c_str());

  EXPECT_EQ(principal(with_token(*authenticator, token(claims()))), "alice");
  EXPECT_EQ(refusal(with_token(*authenticator, token(claims(), "b"))).status, 401);
  EXPECT_EQ(client_.calls, 0);
}

TEST_F(AuthenticatorTest, TellsTheOperatorWhatIsWrong) {
  struct Case {
    char const* expected;
    void (*change)(InboundOptions&);
  };
  for (auto const& [expected, change] : {
           Case{"auth", [](InboundOptions& o) { o = {}; }},
           Case{"jwt.issuer", [](InboundOptions& o) { o.jwt->issuer.clear(); }},
           Case{"jwt.audiences", [](InboundOptions& o) { o.jwt->audiences.clear(); }},
           Case{"jwt.audiences", [](InboundOptions& o) { o.jwt->audiences = {""}; }},
           Case{"one of jwks_url", [](InboundOptions& o) { o.jwt->jwks_url.clear(); }},
           Case{"one of jwks_url", [](InboundOptions& o) { o.jwt->jwks_file = "x"; }},
           Case{"https", [](InboundOptions& o) { o.jwt->jwks_url = "http://as.example/keys"; }},
           Case{"jwt.algorithms", [](InboundOptions& o) { o.jwt->algorithms.clear(); }},
           Case{"HS256", [](InboundOptions& o) { o.jwt->algorithms = {"RS256", "HS256"}; }},
           Case{"none", [](InboundOptions& o) { o.jwt->algorithms = {"none"}; }},
           Case{"leeway", [](InboundOptions& o) { o.jwt->leeway = std::chrono::hours{1}; }},
           Case{"key_lifetime", [](InboundOptions& o) { o.jwt->key_lifetime = {}; }},
           Case{"resource", [](InboundOptions& o) { o.resource = "mcp"; }},
           Case{"principal",
                [](InboundOptions& o) { o.tokens = {{.principal = "", .token = Secret{"a"}}}; }},
           Case{"alice",
                [](InboundOptions& o) { o.tokens = {{.principal = "alice", .token = Secret{}}}; }},
           Case{"twice",
                [](InboundOptions& o) {
                  o.tokens = {{.principal = "a", .token = Secret{"t"}},
                              {.principal = "b", .token = Secret{"t"}}};
                }},
           Case{"forward.proxies", [](InboundOptions& o) { o.forward = ForwardAuthOptions{}; }},
       }) {
    auto options = jwt_options();
    change(options);
    auto const made = make_authenticator(options, &client_);
    ASSERT_FALSE(made) << expected;
    EXPECT_EQ(made.error().code, Errc::InvalidInput);
    EXPECT_THAT(made.error().message, HasSubstr(expected));
  }
  EXPECT_FALSE(make_authenticator(jwt_options(), nullptr));
}

TEST_F(AuthenticatorTest, NeverNamesAStaticTokenToTheOperator) {
  auto const made = make_authenticator(
      {.tokens = {{.principal = "alice", .token = Secret{"my secret"}}}}, &client_);

  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message + made.error().detail, Not(HasSubstr("my secret")));
}

TEST_F(AuthenticatorTest, ServesTheMetadataOfTheResource) {
  auto const authenticator = make(jwt_options());

  auto const document = authenticator->resource_metadata({});

  EXPECT_THAT(document, HasSubstr(R"("resource":"https://mcp.example/mcp")"));
  EXPECT_THAT(document, HasSubstr(R"("authorization_servers":["https://as.example"])"));
}

}  // namespace
}  // namespace sallyport::oauth
