// Tokens of an authorization server that we did not write (oidc-provider), fetched and checked over
// real sockets. Skipped, with a notice, where the peers are not installed (tests/peers/install).
#include "src/http/client.hpp"
#include "src/json/parse.hpp"
#include "src/oauth/authenticator.hpp"

#include "tests/support/egress.hpp"
#include "tests/support/peers.hpp"
#include "tests/support/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace sallyport {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// The connector alone: the stages of the road out are tested elsewhere.
class LoopbackClient final : public http::Client {
 public:
  Task<http::Response> send(http::ClientRequest request) override {
    auto dispatch = test::get(request.url);
    dispatch.method = std::move(request.method);
    dispatch.headers = std::move(request.headers);
    dispatch.body = std::move(request.body);
    dispatch.deadline = request.deadline;
    SP_CO_TRY(auto answer, co_await test::read_all(*connector_, std::move(dispatch)));
    co_return http::Response{.status = answer.head.status, .body = std::move(answer.body)};
  }

 private:
  std::unique_ptr<egress::CurlConnector> connector_ = test::make_connector();
};

class JwksTest : public testing::Test {
 protected:
  void SetUp() override {
    SP_START_PEER(provider_, "oidc_provider.mjs", {});
    issuer_ = provider_->line();
    ASSERT_THAT(issuer_, HasSubstr("http://127.0.0.1:"));
  }

  static std::string resource(std::string const& algorithm) {
    return "http://127.0.0.1/mcp/" + algorithm;
  }

  // An access token for `resource` by client credentials (RFC 6749, section 4.4; RFC 8707).
  std::string token(std::string const& resource, std::string const& scope = "mcp:read") {
    http::ClientRequest request{
        .method = "POST",
        .url = issuer_ + "/token",
        .headers = {{"Authorization", "Basic c2VydmljZTpzZXJ2aWNlLXNlY3JldA=="},
                    {"Content-Type", "application/x-www-form-urlencoded"}},
        .body = "grant_type=client_credentials&scope=" + scope + "&resource=" + resource,
        .deadline = Deadline::in(10s)};
    auto const response = test::run(client_->send(std::move(request)));
    EXPECT_TRUE(response) << response.error().detail;
    if (!response) return {};
    auto const document = json::parse(response->body);
    EXPECT_EQ(response->status, 200) << response->body;
    if (!document || response->status != 200) return {};
    return std::string{json::view(document->at("access_token").as_string())};
  }

  std::unique_ptr<oauth::Authenticator> authenticator(std::string const& resource) {
    oauth::InboundOptions options{
        .jwt = oauth::JwtOptions{.issuer = issuer_,
                                 .audiences = {resource},
                                 .jwks_url = issuer_ + "/jwks",
                                 .algorithms = {"RS256", "PS256", "ES256", "ES384", "EdDSA"},
                                 .required_scopes = {"mcp:read"}},
        .resource = resource};
    return *oauth::make_authenticator(std::move(options), client_.get());
  }

  static Task<oauth::Verdict> ask(oauth::Authenticator& authenticator,
                                  http::ServerRequest const& request) {
    co_return co_await authenticator.authenticate(request);
  }
  static oauth::Verdict verdict(oauth::Authenticator& authenticator, std::string const& token) {
    http::ServerRequest const request{.path = "/mcp",
                                      .headers = {{"Authorization", "Bearer " + token}}};
    return *test::run(ask(authenticator, request));
  }

  std::unique_ptr<test::ChildProcess> provider_;
  std::string issuer_;
  std::unique_ptr<LoopbackClient> client_ = std::make_unique<LoopbackClient>();
};

TEST_F(JwksTest, AcceptsTokensOfEachAlgorithm) {
  for (std::string const algorithm : {"RS256", "PS256", "ES256", "ES384", "EdDSA"}) {
    auto const authenticator = this->authenticator(resource(algorithm));

    auto const verdict = this->verdict(*authenticator, token(resource(algorithm)));

    auto const* principal = std::get_if<Principal>(&verdict);
    ASSERT_NE(principal, nullptr) << algorithm << ": " << std::get<1>(verdict).message;
    EXPECT_EQ(principal->id, "service");
    EXPECT_EQ(principal->issuer, issuer_);
    EXPECT_THAT(principal->scopes, testing::ElementsAre("mcp:read"));
  }
}

TEST_F(JwksTest, RefusesATokenForAnotherAudience) {
  auto const authenticator = this->authenticator(resource("ES256"));

  auto const verdict = this->verdict(*authenticator, token(resource("EdDSA")));

  auto const* refusal = std::get_if<oauth::Refusal>(&verdict);
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->status, 401);
  EXPECT_THAT(refusal->www_authenticate, HasSubstr("error=\"invalid_token\""));
  EXPECT_THAT(refusal->message, HasSubstr("audience"));
}

TEST_F(JwksTest, AsksForAScopeThatTheTokenLacks) {
  auto const authenticator = this->authenticator(resource("ES256"));

  auto const verdict = this->verdict(*authenticator, token(resource("ES256"), "mcp:write"));

  auto const* refusal = std::get_if<oauth::Refusal>(&verdict);
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->status, 403);
}

TEST_F(JwksTest, RefusesATokenWithAnotherSignature) {
  auto const authenticator = this->authenticator(resource("ES256"));
  auto const first = token(resource("ES256"));
  auto const second = token(resource("ES256"));

  auto const mixed = first.substr(0, first.rfind('.')) + second.substr(second.rfind('.'));

  EXPECT_TRUE(std::holds_alternative<oauth::Refusal>(verdict(*authenticator, mixed)));
}

}  // namespace
}  // namespace sallyport
