#include "src/oauth/token_request.hpp"

#include "src/base/base64.hpp"
#include "src/json/parse.hpp"
#include "src/oauth/jws.hpp"

#include "tests/support/signing_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace sallyport::oauth {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr WallClock::time_point kNow{std::chrono::seconds{1'700'000'000}};

TokenOptions options() {
  return {.token_url = "https://as.example/token",
          .client_id = "shop",
          .client_secret = Secret{"very secret&1"},
          .scope = "read write"};
}

std::string form(Result<http::ClientRequest> const& request) {
  return request->body;
}

http::Response answer(std::string body, int status = 200, http::Headers headers = {}) {
  return {.status = status, .headers = std::move(headers), .body = std::move(body)};
}

Result<IssuedToken> read(std::string body, http::Headers headers = {}) {
  return read_token_answer(answer(std::move(body), 200, std::move(headers)), options(), kNow);
}

std::string jwt(std::string const& claims) {
  return "e30." + base64::encode_url(claims) + ".c2ln";
}

TEST(TokenRequest, SaysWhoWeAreInTheBodyUnlessToldOtherwise) {
  auto const request = client_credentials_request(options(), kNow);

  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "POST");
  EXPECT_EQ(request->url, "https://as.example/token");
  EXPECT_EQ(*request->headers.find("Content-Type"), "application/x-www-form-urlencoded");
  EXPECT_EQ(*request->headers.find("Accept"), "application/json");
  EXPECT_EQ(request->headers.find("Authorization"), nullptr);
  EXPECT_EQ(request->body,
            "grant_type=client_credentials&scope=read+write&client_id=shop&client_secret=very+"
            "secret%261");
  EXPECT_LE(request->max_response_bytes, 64U * 1024);
}

// RFC 6749, section 2.3.1.
TEST(TokenRequest, EncodesIdAndSecretBeforeTheyAreJoinedForBasic) {
  auto basic = options();
  basic.client_auth = ClientAuth::SecretBasic;
  basic.client_id = "a:b";

  auto const request = client_credentials_request(basic, kNow);

  EXPECT_EQ(*request->headers.find("Authorization"),
            "Basic " + base64::encode("a%3Ab:very+secret%261"));
  EXPECT_EQ(request->body, "grant_type=client_credentials&scope=read+write");
}

TEST(TokenRequest, SignsAnAssertionForAPrivateKey) {
  auto const signer = test::SigningKey::p256();
  auto signing = options();
  signing.client_auth = ClientAuth::PrivateKeyJwt;
  signing.client_secret = {};
  signing.key_id = "key-1";
  signing.private_key =
      std::make_shared<PrivateKey const>(*PrivateKey::from_pem(Secret{signer.pem()}));

  auto const body = form(client_credentials_request(signing, kNow));
  auto const again = form(client_credentials_request(signing, kNow));

  EXPECT_EQ(http::query_value(body, "client_id"), "shop");
  EXPECT_EQ(http::query_value(body, "client_assertion_type"),
            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  EXPECT_THAT(body, Not(HasSubstr("client_secret")));
  auto const assertion = http::query_value(body, "client_assertion");
  auto const jws = parse_jws(assertion, {Algorithm::Es256});
  ASSERT_TRUE(jws) << jws.error().message;
  auto const keys = JwkSet::parse(test::key_set({signer.jwk("key-1")}));
  EXPECT_EQ(verify(*jws, *keys), Signature::Valid);
  EXPECT_EQ(jws->kid, "key-1");
  EXPECT_EQ(jws->claims.at("iss"), "shop");
  EXPECT_EQ(jws->claims.at("sub"), "shop");
  EXPECT_EQ(jws->claims.at("aud"), "https://as.example/token");
  EXPECT_EQ(jws->claims.at("exp"), 1'700'000'060);
  EXPECT_LE(jws->claims.at("iat").to_number<std::int64_t>(), 1'700'000'000);
  EXPECT_NE(assertion, http::query_value(again, "client_assertion"));  // each has its own jti
}

TEST(TokenRequest, CarriesAudienceResourcesAndOwnParameters) {
  auto more = options();
  more.scope = "";
  more.audience = "https://api.example/";
  more.resources = {"https://a.example/", "https://b.example/"};
  more.parameters = {{"tenant", "é 1"}};

  EXPECT_EQ(form(client_credentials_request(more, kNow)),
            "grant_type=client_credentials&audience=https%3A%2F%2Fapi.example%2F&"
            "resource=https%3A%2F%2Fa.example%2F&resource=https%3A%2F%2Fb.example%2F&"
            "tenant=%C3%A9+1&client_id=shop&client_secret=very+secret%261");
}

TEST(TokenRequest, RefreshesWithoutAskingForScopes) {
  EXPECT_EQ(form(refresh_request(options(), Secret{"r/1"}, kNow)),
            "grant_type=refresh_token&refresh_token=r%2F1&client_id=shop&client_secret=very+"
            "secret%261");
}

TEST(TokenAnswer, IsReadWithItsLifetimeAndRefreshToken) {
  auto const token =
      read(R"({"access_token":"abc","token_type":"bearer","expires_in":3600,"refresh_token":"r"})");

  ASSERT_TRUE(token) << token.error().detail;
  EXPECT_EQ(token->header_value.reveal(), "Bearer abc");
  EXPECT_EQ(token->refresh_token.reveal(), "r");
  EXPECT_EQ(token->lifetime, 3600s);
}

TEST(TokenAnswer, TakesALifetimeInEveryFormThatServersWrite) {
  std::pair<char const*, std::chrono::seconds> const cases[] = {{"60", 60s},
                                                                {"\"60\"", 60s},
                                                                {"59.9", 59s},
                                                                {"0", 0s},
                                                                {"-5", 0s},
                                                                {"1e300", 365 * 24h},
                                                                {"18446744073709551615", 365 * 24h},
                                                                // What is no number says nothing.
                                                                {"null", 300s},
                                                                {"\"soon\"", 300s},
                                                                {"true", 300s},
                                                                {"\"60 s\"", 300s},
                                                                {"[]", 300s}};
  for (auto const& [text, lifetime] : cases) {
    auto const token = read(R"({"access_token":"abc","expires_in":)" + std::string{text} + "}");
    ASSERT_TRUE(token) << text;
    EXPECT_EQ(token->lifetime, lifetime) << text;
  }
}

TEST(TokenAnswer, TakesTheExpiryOfAJwtWhereNoLifetimeIsStated) {
  auto const token = read(R"({"access_token":")" + jwt(R"({"exp":1700000120})") + R"("})");
  auto const stated =
      read(R"({"expires_in":7,"access_token":")" + jwt(R"({"exp":1700000120})") + R"("})");

  EXPECT_EQ(token->lifetime, 120s);
  EXPECT_EQ(stated->lifetime, 7s);
}

// Ours may be minutes off; the endpoint that wrote `exp` also writes Date.
TEST(TokenAnswer, MeasuresTheExpiryWithTheClockOfTheEndpoint) {
  auto const body = R"({"access_token":")" + jwt(R"({"exp":1700000720})") + R"("})";

  auto const token = read(body, {{"Date", "Tue, 14 Nov 2023 22:23:20 GMT"}});  // ten minutes on

  EXPECT_EQ(token->lifetime, 120s);
}

TEST(TokenAnswer, KeepsATokenThatDoesNotSayWhenItExpiresForAWhile) {
  for (auto const& text : {std::string{"opaque"}, std::string{"a.b.c"}, jwt("{}"), jwt("[1]"),
                           jwt(R"({"exp":"later"})"), std::string{"a.b"}}) {
    auto const token = read(R"({"access_token":")" + text + R"("})");
    ASSERT_TRUE(token) << text;
    EXPECT_EQ(token->lifetime, 300s) << text;
  }
}

TEST(TokenAnswer, NamesTheSchemeAsSitesExpectIt) {
  std::pair<char const*, char const*> const cases[] = {{"\"BEARER\"", "Bearer"},
                                                       {"\"BearerToken\"", "Bearer"},
                                                       {"null", "Bearer"},
                                                       {"\"JWT\"", "JWT"}};
  for (auto const& [type, scheme] : cases) {
    auto const token = read(R"({"access_token":"abc","token_type":)" + std::string{type} + "}");
    ASSERT_TRUE(token) << type;
    EXPECT_EQ(token->header_value.reveal(), std::string{scheme} + " abc");
  }
}

TEST(TokenAnswer, IsRefusedWhereItHasNoTokenThatCanBeSent) {
  for (std::string const body :
       {"", "<html>", "[]", "{}", R"({"access_token":""})", R"({"access_token":7})",
        R"({"access_token":"a b"})", R"({"access_token":"a\r\nX-Evil: 1"})",
        R"({"access_token":"é"})", R"({"access_token":"abc","token_type":"DPoP"})",
        R"({"access_token":"abc","token_type":"a b"})",
        R"({"access_token":"abc","token_type":1})"}) {
    auto const token = read(body);
    ASSERT_FALSE(token) << body;
    EXPECT_EQ(token.error().code, Errc::CredentialUnavailable);
  }
  EXPECT_FALSE(read(R"({"access_token":")" + std::string(20'000, 'a') + R"("})"));
  EXPECT_FALSE(read(std::string(1000, '[')));
}

TEST(TokenAnswer, TellsOfAFailureOnlyWhatTheStandardsName) {
  auto const known = read_token_answer(
      answer(R"({"error":"invalid_client","error_description":"very secret&1 is wrong"})", 401),
      options(), kNow);
  auto const unknown =
      read_token_answer(answer(R"({"error":"very secret&1"})", 400), options(), kNow);
  auto const page = read_token_answer(answer("very secret&1", 500), options(), kNow);

  EXPECT_EQ(known.error().detail, "status 401, invalid_client");
  EXPECT_EQ(unknown.error().detail, "status 400");
  EXPECT_EQ(page.error().detail, "status 500");
  for (auto const* const failed : {&known, &unknown, &page}) {
    EXPECT_EQ(failed->error().message, "The token endpoint gave no token.");
  }
}

TEST(TokenAnswer, AsksToWaitInSecondsAndNotForEver) {
  EXPECT_EQ(asked_to_wait(answer("", 429, {{"Retry-After", "17"}})), 17s);
  EXPECT_EQ(asked_to_wait(answer("", 503, {{"Retry-After", "86400"}})), 300s);
  EXPECT_EQ(asked_to_wait(answer("", 503, {{"Retry-After", "later"}})), std::nullopt);
  EXPECT_EQ(asked_to_wait(answer("", 503)), std::nullopt);
}

}  // namespace
}  // namespace sallyport::oauth
