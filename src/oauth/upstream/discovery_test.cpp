#include "src/oauth/upstream/discovery.hpp"

#include "src/oauth/upstream/metadata_reader.hpp"
#include "src/oauth/upstream/test_upstream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::oauth::upstream {
namespace {

using fakes::issuer_document;
using fakes::json_answer;
using fakes::kIssuerMetadata;
using fakes::kResourceMetadata;
using fakes::resource_document;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class DiscoveryTest : public testing::Test {
 protected:
  void SetUp() override { fakes::usual_servers(servers_); }

  Result<Discovery> found(ServerChallenge const& challenge = {},
                          std::string_view server = fakes::kServer) {
    return test::run(discover(servers_, *url::Url::parse(server), challenge, {}));
  }
  std::string refusal(ServerChallenge const& challenge = {}) {
    auto const result = found(challenge);
    EXPECT_FALSE(result);
    return result ? "" : result.error().message;
  }
  // What is wrong with a document of the resource is told apart by its message.
  std::string refusal_of(http::Response answer) {
    servers_.instead(kResourceMetadata, std::move(answer));
    return refusal();
  }

  fakes::ScriptedServers servers_;
};

TEST_F(DiscoveryTest, GoesFromTheWellKnownPlaceToTheIssuer) {
  auto const discovery = found();

  ASSERT_TRUE(discovery) << discovery.error().message;
  EXPECT_EQ(discovery->resource, "https://mcp.example/mcp");
  EXPECT_EQ(discovery->authorization_server.issuer, "https://as.example");
  EXPECT_EQ(discovery->authorization_server.token_endpoint, "https://as.example/token");
  EXPECT_THAT(servers_.asked(), ElementsAre(kResourceMetadata, kIssuerMetadata));
}

TEST_F(DiscoveryTest, AsksFirstWhereTheChallengeSays) {
  servers_.on("GET https://elsewhere.example/prm", json_answer(resource_document()));

  EXPECT_TRUE(found({.resource_metadata = "https://elsewhere.example/prm"}));

  EXPECT_THAT(servers_.asked(), ElementsAre("GET https://elsewhere.example/prm", kIssuerMetadata));
}

TEST_F(DiscoveryTest, RefusesAnInsecurePlaceOfTheChallengeWithoutAsking) {
  for (auto const* const bad : {"http://mcp.example/prm", "javascript:x", "file:///etc/passwd",
                                "ftp://mcp.example/", "//mcp.example/prm"}) {
    EXPECT_THAT(refusal({.resource_metadata = bad}), HasSubstr("resource_metadata")) << bad;
  }
  EXPECT_THAT(servers_.requests, SizeIs(0));
}

TEST_F(DiscoveryTest, DoesNotGuessWhereTheChallengeNamedAPlaceThatHasNothing) {
  EXPECT_THAT(refusal({.resource_metadata = "https://mcp.example/none"}), HasSubstr("not there"));
}

TEST_F(DiscoveryTest, GoesOnToTheRootWhereThePathHasNone) {
  servers_.instead(kResourceMetadata, http::Response{.status = 404});
  servers_.on("GET https://mcp.example/.well-known/oauth-protected-resource",
              json_answer(resource_document()));

  EXPECT_TRUE(found());
  EXPECT_THAT(servers_.requests, SizeIs(3));
}

TEST_F(DiscoveryTest, TakesAPageForEveryPathAsNone) {
  servers_.instead(kResourceMetadata, http::Response{.content_type = "text/html", .body = "<p>"});
  servers_.on("GET https://mcp.example/.well-known/oauth-protected-resource",
              json_answer(resource_document()));

  EXPECT_TRUE(found());
}

TEST_F(DiscoveryTest, RefusesMetadataOfAnotherResource) {
  EXPECT_THAT(
      refusal_of(json_answer(
          R"({"resource":"https://evil.example/mcp","authorization_servers":["https://x"]})")),
      HasSubstr("another resource"));
}

TEST_F(DiscoveryTest, RefusesAForeignIssuer) {
  servers_.instead(kIssuerMetadata, json_answer(R"({"issuer":"https://evil.example",)"
                                                R"("token_endpoint":"https://evil.example/t"})"));

  EXPECT_THAT(refusal(), HasSubstr("another issuer"));
}

TEST_F(DiscoveryTest, RefusesAnAuthorizationUrlThatABrowserWouldRun) {
  servers_.instead(kIssuerMetadata,
                   json_answer(R"({"issuer":"https://as.example",)"
                               R"("authorization_endpoint":"javascript:alert(1)//",)"
                               R"("token_endpoint":"https://as.example/token"})"));

  EXPECT_THAT(refusal(), HasSubstr("authorization_endpoint"));
}

TEST_F(DiscoveryTest, AsksAnIssuerWithAPathInThreePlaces) {
  servers_.instead(kResourceMetadata,
                   json_answer(R"({"resource":"https://mcp.example/mcp",)"
                               R"("authorization_servers":["https://as.example/t1"]})"));
  servers_.on("GET https://as.example/t1/.well-known/openid-configuration",
              json_answer(R"({"issuer":"https://as.example/t1",)"
                          R"("token_endpoint":"https://as.example/t1/token"})"));

  auto const discovery = found();

  ASSERT_TRUE(discovery) << discovery.error().message;
  EXPECT_THAT(servers_.asked(),
              ElementsAre(kResourceMetadata,
                          "GET https://as.example/.well-known/oauth-authorization-server/t1",
                          "GET https://as.example/.well-known/openid-configuration/t1",
                          "GET https://as.example/t1/.well-known/openid-configuration"));
}

TEST_F(DiscoveryTest, SaysThatAnAuthorizationServerHasNoMetadata) {
  servers_.instead(kIssuerMetadata, http::Response{.status = 404});

  EXPECT_THAT(refusal(), HasSubstr("no metadata"));
}

TEST_F(DiscoveryTest, FollowsAFewRedirectsToSecurePlaces) {
  servers_.instead(kResourceMetadata, fakes::redirect("/a"));
  servers_.on("GET https://mcp.example/a", fakes::redirect("https://b.example/b"));
  servers_.on("GET https://b.example/b", fakes::redirect("https://c.example/c"));
  servers_.on("GET https://c.example/c", json_answer(resource_document()));

  EXPECT_TRUE(found());
}

TEST_F(DiscoveryTest, RefusesRedirectLoopsAndInsecureTargets) {
  EXPECT_THAT(
      refusal_of(fakes::redirect("https://mcp.example/.well-known/oauth-protected-resource/mcp")),
      HasSubstr("redirected too often"));
  EXPECT_THAT(servers_.requests, SizeIs(4));
  EXPECT_THAT(refusal_of(fakes::redirect("http://mcp.example/prm")), HasSubstr("redirect"));
  EXPECT_THAT(refusal_of(fakes::redirect("http://127.0.0.1/prm")), HasSubstr("https to http"));
  EXPECT_THAT(refusal_of(fakes::redirect("javascript:alert(1)")), HasSubstr("redirect"));
  EXPECT_THAT(refusal_of(http::Response{.status = 302}), HasSubstr("nowhere"));
}

TEST_F(DiscoveryTest, EndsAfterADozenRequestsWhateverTheServersDo) {
  // Each place is redirected three times and then is not there: more than there are requests.
  servers_.instead(kResourceMetadata, fakes::redirect("https://mcp.example/r1"));
  servers_.on("GET https://mcp.example/.well-known/oauth-protected-resource",
              fakes::redirect("https://mcp.example/r1"));
  for (auto const* const origin : {"https://mcp.example"}) {
    for (auto const* const name :
         {"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"}) {
      servers_.on(std::string{"GET "} + origin + name, fakes::redirect("https://mcp.example/r1"));
    }
  }
  servers_.on("GET https://mcp.example/r1", fakes::redirect("https://mcp.example/r2"));
  servers_.on("GET https://mcp.example/r2", fakes::redirect("https://mcp.example/r3"));

  EXPECT_THAT(refusal(), HasSubstr("too many requests"));
  EXPECT_THAT(servers_.requests, SizeIs(12));
}

TEST_F(DiscoveryTest, RefusesDocumentsThatCannotBeTrustedToSayOneThing) {
  EXPECT_THAT(refusal_of(json_answer("[]")), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal_of(json_answer("{")), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal_of(json_answer(R"({"resource":"https://mcp.example/mcp",)"
                                     R"("res\u006Furce":"https://mcp.example/mcp",)"
                                     R"("authorization_servers":["https://as.example"]})")),
              HasSubstr("twice"));
  EXPECT_THAT(
      refusal_of(json_answer(resource_document(R"(,"x":")" + std::string(70'000, 'x') + '"'))),
      HasSubstr("too large"));
  EXPECT_THAT(refusal_of(http::Response{.status = 500}), HasSubstr("status 500"));
  EXPECT_EQ(servers_.requests.front().max_response_bytes, 65536U);
}

TEST_F(DiscoveryTest, PassesOnThatTheServerCannotBeReached) {
  servers_.instead(kResourceMetadata, fail(Errc::UpstreamFailed, "down"));

  EXPECT_EQ(found().error().code, Errc::UpstreamFailed);
}

TEST_F(DiscoveryTest, FallsBackToTheServerItselfAsItsAuthorizationServer) {
  servers_.instead(kResourceMetadata, http::Response{.status = 404});
  servers_.on(
      "GET https://mcp.example/.well-known/oauth-authorization-server",
      json_answer(R"({"issuer":"https://mcp.example","token_endpoint":"https://mcp.example/t",)"
                  R"("code_challenge_methods_supported":["S256"]})"));

  auto const discovery = found();

  ASSERT_TRUE(discovery) << discovery.error().message;
  EXPECT_EQ(discovery->resource, "https://mcp.example/mcp");
  EXPECT_EQ(discovery->authorization_server.token_endpoint, "https://mcp.example/t");
  EXPECT_NE(servers_.requests.back().headers.find("MCP-Protocol-Version"), nullptr);
}

TEST_F(DiscoveryTest, AssumesTheEndpointsOfAServerWithoutAnyMetadata) {
  servers_.instead(kResourceMetadata, http::Response{.status = 404});

  auto const discovery = found();

  ASSERT_TRUE(discovery) << discovery.error().message;
  EXPECT_EQ(discovery->authorization_server.authorization_endpoint,
            "https://mcp.example/authorize");
  EXPECT_EQ(discovery->authorization_server.token_endpoint, "https://mcp.example/token");
  EXPECT_EQ(discovery->authorization_server.registration_endpoint, "https://mcp.example/register");
}

ServerSettings with_endpoints(bool in_need_only = false) {
  auto settings = fakes::usual_settings();
  settings.endpoints = {.authorization_url = "https://stated.example/a",
                        .token_url = "https://stated.example/t",
                        .in_need_only = in_need_only};
  return settings;
}

TEST_F(DiscoveryTest, AsksNobodyWhereTheSettingsSayIt) {
  auto const discovery = test::run(discover_for(servers_, with_endpoints(), {}, {}));

  ASSERT_TRUE(discovery) << discovery.error().message;
  EXPECT_EQ(discovery->resource, "https://mcp.example/mcp");
  EXPECT_EQ(discovery->authorization_server.issuer, "https://stated.example");
  EXPECT_EQ(discovery->authorization_server.authorization_endpoint, "https://stated.example/a");
  EXPECT_EQ(discovery->authorization_server.token_endpoint, "https://stated.example/t");
  EXPECT_TRUE(servers_.requests.empty());
}

TEST_F(DiscoveryTest, TakesWhatAnotherProgramFoundOnlyWhereTheServerSaysNothing) {
  auto const said = test::run(discover_for(servers_, with_endpoints(true), {}, {}));
  ASSERT_TRUE(said) << said.error().message;
  EXPECT_EQ(said->authorization_server.issuer, "https://as.example");

  servers_.instead(kResourceMetadata, http::Response{.status = 404});

  auto const unsaid = test::run(discover_for(servers_, with_endpoints(true), {}, {}));
  ASSERT_TRUE(unsaid) << unsaid.error().message;
  EXPECT_EQ(unsaid->authorization_server.issuer, "https://stated.example");
}

TEST_F(DiscoveryTest, HoldsTheSettingsToTheSameRulesAsServers) {
  auto settings = with_endpoints();
  settings.endpoints.authorization_url = "javascript:alert(1)";
  EXPECT_FALSE(test::run(discover_for(servers_, settings, {}, {})));
  settings = with_endpoints();
  settings.endpoints.token_url = "http://stated.example/t";
  EXPECT_FALSE(test::run(discover_for(servers_, settings, {}, {})));
  settings = with_endpoints();
  settings.url = "http://mcp.example/mcp";
  EXPECT_FALSE(test::run(discover_for(servers_, settings, {}, {})));
}

TEST_F(DiscoveryTest, DoesNotBelieveAServerThatSpeaksForAnotherIssuer) {
  servers_.instead(kResourceMetadata, http::Response{.status = 404});
  servers_.on("GET https://mcp.example/.well-known/oauth-authorization-server",
              json_answer(issuer_document()));

  EXPECT_THAT(refusal(), HasSubstr("another issuer"));
}

TEST_F(DiscoveryTest, UsesProofsOnlyWhereBothServersDo) {
  EXPECT_FALSE(found({.offers_dpop = true})->use_dpop);
  servers_.instead(
      kIssuerMetadata,
      json_answer(issuer_document(R"(,"dpop_signing_alg_values_supported":["ES256"])")));
  EXPECT_FALSE(found()->use_dpop);
  EXPECT_TRUE(found({.offers_dpop = true})->use_dpop);
  servers_.instead(kResourceMetadata,
                   json_answer(resource_document(R"(,"dpop_bound_access_tokens_required":true)")));
  EXPECT_TRUE(found()->use_dpop);
}

TEST(JsonType, IsApplicationJsonOrItsKin) {
  EXPECT_TRUE(is_json_type("application/json"));
  EXPECT_TRUE(is_json_type("Application/JSON; charset=utf-8"));
  EXPECT_TRUE(is_json_type("application/oauth+json"));
  EXPECT_FALSE(is_json_type("text/html"));
  EXPECT_FALSE(is_json_type("application/jsonp"));
  EXPECT_FALSE(is_json_type(""));
}

}  // namespace
}  // namespace sallyport::oauth::upstream
