#include "src/oauth/jwt_claims.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sallyport::oauth {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kNow = 1'800'000'000;
std::chrono::system_clock::time_point const kNowPoint{std::chrono::seconds{kNow}};

JwtOptions options() {
  return {.issuer = "https://as.example", .audiences = {"https://mcp.example/mcp", "other"}};
}

json::Object good_claims() {
  return {{"iss", "https://as.example"},
          {"aud", "https://mcp.example/mcp"},
          {"exp", kNow + 300},
          {"sub", "alice"}};
}

json::Object claims_with(std::string_view name, json::Value value) {
  auto claims = good_claims();
  claims[name] = std::move(value);
  return claims;
}

json::Object claims_without(std::string_view name) {
  auto claims = good_claims();
  claims.erase(name);
  return claims;
}

Result<Principal> check(json::Object const& claims, std::string_view typ = "at+jwt",
                        JwtOptions const& with = options()) {
  return check_claims(claims, typ, with, kNowPoint);
}

bool is_refused(json::Object const& claims) {
  auto const result = check(claims);
  return !result && result.error().code == Errc::InvalidInput;
}

TEST(JwtClaims, NamesThePrincipal) {
  auto const principal = check(claims_with("scope", "mcp:read  mcp:write"));

  ASSERT_TRUE(principal);
  EXPECT_EQ(principal->id, "alice");
  EXPECT_EQ(principal->issuer, "https://as.example");
  EXPECT_EQ(principal->scopes, (std::vector<std::string>{"mcp:read", "mcp:write"}));
}

TEST(JwtClaims, RefusesAnotherIssuer) {
  EXPECT_TRUE(is_refused(claims_without("iss")));
  for (json::Value const& issuer :
       {json::Value{"https://as.example/"}, json::Value{"https://AS.example"}, json::Value{""},
        json::Value{1}, json::Value{json::Array{"https://as.example"}}}) {
    EXPECT_TRUE(is_refused(claims_with("iss", issuer)));
  }
}

TEST(JwtClaims, RefusesAnotherAudience) {
  EXPECT_TRUE(is_refused(claims_without("aud")));
  for (json::Value const& audience :
       {json::Value{"https://mcp.example"}, json::Value{"https://mcp.example/mcp/"},
        json::Value{""}, json::Value{nullptr}, json::Value{json::Array{}},
        json::Value{json::Array{1, "https://mcp.example"}},
        json::Value{json::Object{{"https://mcp.example/mcp", true}}}}) {
    EXPECT_TRUE(is_refused(claims_with("aud", audience)));
  }
  EXPECT_TRUE(check(claims_with("aud", json::Array{"somebody", "other"})));
}

TEST(JwtClaims, RefusesAnExpiredTokenAfterTheLeeway) {
  EXPECT_TRUE(is_refused(claims_without("exp")));
  EXPECT_TRUE(check(claims_with("exp", kNow - 59)));
  EXPECT_TRUE(is_refused(claims_with("exp", kNow - 60)));
  EXPECT_TRUE(is_refused(claims_with("exp", json::String{std::to_string(kNow + 300)})));
  EXPECT_TRUE(is_refused(claims_with("exp", -1e300)));
  EXPECT_TRUE(is_refused(claims_with("exp", nullptr)));
}

TEST(JwtClaims, RefusesATokenThatIsNotValidYet) {
  for (auto const* name : {"nbf", "iat"}) {
    EXPECT_TRUE(check(claims_with(name, kNow + 60))) << name;
    EXPECT_TRUE(is_refused(claims_with(name, kNow + 61))) << name;
    EXPECT_TRUE(is_refused(claims_with(name, "yesterday"))) << name;
  }
}

TEST(JwtClaims, RefusesOtherKindsOfTokens) {
  for (auto const* typ : {"", "JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt"}) {
    EXPECT_TRUE(check(good_claims(), typ)) << typ;
  }
  for (auto const* typ : {"dpop+jwt", "logout+jwt", "secevent+jwt", "application/", "at+jwt "}) {
    EXPECT_FALSE(check(good_claims(), typ)) << typ;
  }
}

TEST(JwtClaims, RefusesATokenThatIsBoundToAKey) {
  EXPECT_TRUE(is_refused(claims_with("cnf", json::Object{{"jkt", "thumbprint"}})));
}

TEST(JwtClaims, RefusesATokenWithoutSubject) {
  EXPECT_TRUE(is_refused(claims_without("sub")));
  EXPECT_TRUE(is_refused(claims_with("sub", "")));
  EXPECT_TRUE(is_refused(claims_with("sub", 1)));
  EXPECT_TRUE(is_refused(claims_with("sub", json::String{std::string(1000, 'x')})));
}

TEST(JwtClaims, AsksForEveryRequiredScope) {
  auto with = options();
  with.required_scopes = {"read", "write"};

  auto const none = check(good_claims(), "JWT", with);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::PolicyDenied);
  EXPECT_FALSE(check(claims_with("scope", "read"), "JWT", with));
  EXPECT_FALSE(check(claims_with("scope", "readwrite"), "JWT", with));
  EXPECT_TRUE(check(claims_with("scope", "write admin read"), "JWT", with));
  EXPECT_TRUE(check(claims_with("scp", json::Array{"read", "write"}), "JWT", with));
  EXPECT_TRUE(check(claims_with("scp", "read write"), "JWT", with));
}

// Who lacks a scope but is also for somebody else must not learn about scopes.
TEST(JwtClaims, TellsAnInvalidTokenFromOneThatLacksAScope) {
  auto with = options();
  with.required_scopes = {"write"};

  auto const result = check(claims_with("aud", "somebody"), "JWT", with);

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::InvalidInput);
}

}  // namespace
}  // namespace sallyport::oauth
