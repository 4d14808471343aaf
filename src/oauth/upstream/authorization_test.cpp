#include "src/oauth/upstream/authorization.hpp"

#include "src/oauth/upstream/scopes.hpp"
#include "src/oauth/upstream/test_upstream.hpp"
#include "src/store/digest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::oauth::upstream {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr auto* kIssuer = "https://as.example";

TEST(Scopes, AreJoinedWithoutTwins) {
  EXPECT_EQ(scope_union("a b", "b  c a"), "a b c");
  EXPECT_EQ(scope_union("", "x"), "x");
  EXPECT_TRUE(has_scope("a offline_access", "offline_access"));
  EXPECT_FALSE(has_scope("offline_access2", "offline_access"));
  EXPECT_FALSE(is_scope_list("a\nb"));
  EXPECT_FALSE(is_scope_list("   "));
  EXPECT_FALSE(is_scope_list(std::string(5000, 'a')));
}

TEST(Pkce, ShowsTheDigestOfAVerifierThatIsNeverTheSame) {
  auto const one = Pkce::make();
  auto const two = Pkce::make();

  EXPECT_EQ(one.verifier.reveal().size(), 43U);
  EXPECT_EQ(one.challenge, store::sha256_base64url(one.verifier.reveal()));
  EXPECT_NE(one.verifier.reveal(), two.verifier.reveal());
}

TEST(Pkce, IsRequiredOfTheServer) {
  EXPECT_TRUE(check_pkce({.challenge_methods = {"plain", "S256"}}));
  EXPECT_FALSE(check_pkce({.challenge_methods = {"plain"}}));
  EXPECT_FALSE(check_pkce({}));
}

TEST(ChosenScope, IsTheOperatorsElseTheChallengesElseTheResources) {
  Discovery discovery{.resource_scopes = {"r1", "r2"}};

  EXPECT_EQ(choose_scope({.scope = "mine"}, {.scope = "theirs"}, discovery), "mine");
  EXPECT_EQ(choose_scope({}, {.scope = "theirs"}, discovery), "theirs");
  EXPECT_EQ(choose_scope({}, {}, discovery), "r1 r2");
  EXPECT_EQ(choose_scope({}, {}, Discovery{}), "");
}

TEST(ChosenScope, HasOfflineAccessOnlyWhereTheAuthorizationServerHasIt) {
  Discovery discovery{.resource_scopes = {"r"}};
  EXPECT_EQ(choose_scope({}, {}, discovery), "r");

  discovery.authorization_server.scopes = {"openid", "offline_access"};

  EXPECT_EQ(choose_scope({}, {}, discovery), "r offline_access");
  discovery.resource_scopes.clear();
  EXPECT_EQ(choose_scope({}, {}, discovery), "");
}

TEST(AuthorizationUrl, HasTheWholeRequestAndKeepsTheEndpointsOwnQuery) {
  auto const url = authorization_url("https://as.example/authorize?tenant=1",
                                     {.client_id = "a&b",
                                      .redirect_uri = fakes::kRedirectUri,
                                      .scope = "x y",
                                      .state = "s",
                                      .code_challenge = "c",
                                      .resource = fakes::kServer});

  EXPECT_THAT(url, StartsWith("https://as.example/authorize?tenant=1&response_type=code&"));
  EXPECT_EQ(fakes::parameter(url, "client_id"), "a&b");
  EXPECT_EQ(fakes::parameter(url, "redirect_uri"), fakes::kRedirectUri);
  EXPECT_EQ(fakes::parameter(url, "scope"), "x y");
  EXPECT_EQ(fakes::parameter(url, "state"), "s");
  EXPECT_EQ(fakes::parameter(url, "code_challenge"), "c");
  EXPECT_EQ(fakes::parameter(url, "code_challenge_method"), "S256");
  EXPECT_EQ(fakes::parameter(url, "resource"), fakes::kServer);
  EXPECT_EQ(fakes::parameter(url, "prompt"), "");
}

TEST(AuthorizationUrl, AsksForConsentToOfflineAccessAndLeavesOutAnEmptyScope) {
  auto const with = authorization_url("https://as.example/a", {.scope = "x offline_access"});
  auto const without = authorization_url("https://as.example/a", {});

  EXPECT_EQ(fakes::parameter(with, "prompt"), "consent");
  EXPECT_THAT(without, Not(HasSubstr("scope")));
}

TEST(Callback, HasNoParameterTwice) {
  EXPECT_FALSE(Callback::parse("state=a&code=b&code=c"));
  EXPECT_FALSE(Callback::parse("state=a&code=b&iss=x&%69ss=y"));
  EXPECT_FALSE(Callback::parse("state=" + std::string(20'000, 'a')));
  auto const callback = Callback::parse("?state=a%20b&code=c&iss=https%3A%2F%2Fas.example");
  EXPECT_EQ(callback->state, "a b");
  EXPECT_EQ(callback->code, "c");
  EXPECT_EQ(callback->issuer, "https://as.example");
}

TEST(Callback, IsBelievedFromItsIssuerAlone) {
  struct Case {
    char const* query;
    bool required;
    bool good;
  };
  for (auto const& [query, required, good] :
       std::vector<Case>{{"state=s&code=c", false, true},
                         {"state=s&code=c", true, false},  // advertised, and missing
                         {"state=s&code=c&iss=https://as.example", true, true},
                         {"state=s&code=c&iss=https://as.example", false, true},
                         {"state=s&code=c&iss=https://evil.example", true, false},
                         {"state=s&code=c&iss=https://evil.example", false, false},
                         {"state=s&code=c&iss=https://as.example/", true, false},
                         {"state=s&code=c&iss=https://AS.example", true, false},
                         {"state=s&code=c&iss=https://as.example:443", true, false},
                         {"state=s&code=c&iss=", false, false},
                         {"state=s&iss=https://as.example", true, false},  // no code
                         {"state=s&code=c&error=access_denied", false, false}}) {
    auto const callback = Callback::parse(query);
    ASSERT_TRUE(callback) << query;
    EXPECT_EQ(code_in(*callback, kIssuer, required).has_value(), good) << query;
  }
}

TEST(Callback, OfAnotherIssuerOrWithOddErrorsShowsNothingOfItsText) {
  auto const foreign = code_in(
      *Callback::parse("state=s&error=access_denied&iss=https://evil.example"), kIssuer, true);
  auto const odd = code_in(*Callback::parse("state=s&error=call+0900+123"), kIssuer, false);
  auto const known = code_in(*Callback::parse("state=s&error=access_denied"), kIssuer, false);

  EXPECT_THAT(foreign.error().message, HasSubstr("another authorization server"));
  EXPECT_EQ(foreign.error().detail, "");
  EXPECT_THAT(odd.error().message + odd.error().detail, Not(HasSubstr("0900")));
  EXPECT_EQ(known.error().detail, "access_denied");
}

}  // namespace
}  // namespace sallyport::oauth::upstream
