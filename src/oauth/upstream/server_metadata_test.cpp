#include "src/oauth/upstream/server_metadata.hpp"

#include "src/json/parse.hpp"
#include "src/oauth/upstream/secure_url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::oauth::upstream {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

json::Object parsed(std::string_view text) {
  return json::parse(text)->as_object();
}

url::Url at(std::string_view text) {
  return *url::Url::parse(text);
}

std::vector<std::string> texts(std::vector<url::Url> const& places) {
  std::vector<std::string> all;
  for (auto const& place : places) all.push_back(place.href());
  return all;
}

TEST(SecureUrl, IsHttpsOrHttpToThisMachine) {
  for (auto const* const good : {"https://as.example/x?y=z", "http://127.0.0.1:8080/",
                                 "http://127.3.4.5/", "http://[::1]:1/", "http://localhost/"}) {
    EXPECT_TRUE(secure_url(good, "endpoint")) << good;
  }
}

TEST(SecureUrl, NeverIsAnythingThatABrowserWouldRunOrAnOpenWire) {
  for (auto const* const bad :
       {"javascript:alert(1)//", "JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd",
        "http://as.example/", "http://localhost.evil.example/", "http://10.0.0.1/", "ftp://as/",
        "https://user:pass@as.example/", "https://as.example/#x", "", "/relative",
        "java\nscript:alert(1)", " https://as.example/", "https://as.example/\x7F", "vbscript:x",
        "blob:https://as.example/x"}) {
    auto const result = secure_url(bad, "endpoint");
    ASSERT_FALSE(result) << bad;
    EXPECT_THAT(result.error().message, HasSubstr("endpoint"));
    EXPECT_THAT(result.error().message + result.error().detail, Not(HasSubstr("pass")));
  }
}

TEST(ProtectedResource, MustBeTheServerOrAboveIt) {
  struct Case {
    char const* resource;
    char const* server;
    bool good;
  };
  for (auto const& [resource, server, good] :
       std::vector<Case>{{"https://mcp.example/mcp", "https://mcp.example/mcp", true},
                         {"https://mcp.example/mcp/", "https://mcp.example/mcp", true},
                         {"https://mcp.example", "https://mcp.example/mcp", true},
                         {"https://mcp.example/", "https://mcp.example/a/b", true},
                         {"https://mcp.example/a", "https://mcp.example/a/b?x=1", true},
                         {"HTTPS://MCP.example:443/mcp", "https://mcp.example/mcp", true},
                         {"https://mcp.example/mcp2", "https://mcp.example/mcp", false},
                         {"https://mcp.example/mc", "https://mcp.example/mcp", false},
                         {"https://mcp.example/mcp/x", "https://mcp.example/mcp", false},
                         {"https://evil.example/mcp", "https://mcp.example/mcp", false},
                         {"http://mcp.example/mcp", "https://mcp.example/mcp", false},
                         {"https://mcp.example:8443/mcp", "https://mcp.example/mcp", false},
                         {"https://mcp.example/mcp#x", "https://mcp.example/mcp", false},
                         {"", "https://mcp.example/mcp", false},
                         {"urn:x", "https://mcp.example/mcp", false}}) {
    json::Object const document{{"resource", resource},
                                {"authorization_servers", json::Array{"https://as.example"}}};
    EXPECT_EQ(read_protected_resource(document, at(server)).has_value(), good)
        << resource << " for " << server;
  }
}

TEST(ProtectedResource, NeedsAnAuthorizationServer) {
  EXPECT_FALSE(read_protected_resource(parsed(R"({"resource":"https://m.example"})"),
                                       at("https://m.example/mcp")));
  EXPECT_FALSE(read_protected_resource(
      parsed(R"({"resource":"https://m.example","authorization_servers":[1,null]})"),
      at("https://m.example/mcp")));
}

TEST(ProtectedResource, LeavesOutScopesThatAreNone) {
  auto const found = read_protected_resource(
      parsed(R"({"resource":"https://m.example","authorization_servers":["https://a.example"],)"
             R"("scopes_supported":["a","b c","\"",7,"d"]})"),
      at("https://m.example/mcp"));

  EXPECT_THAT(found->scopes, ElementsAre("a", "d"));
}

TEST(AuthorizationServer, MustBeTheIssuerToTheLetter) {
  for (auto const* const other :
       {"https://as.example/", "https://AS.example", "https://as.example:443",
        "https://evil.example", "http://as.example", ""}) {
    json::Object const document{{"issuer", other}, {"token_endpoint", "https://as.example/token"}};
    EXPECT_FALSE(read_authorization_server(document, "https://as.example")) << other;
  }
}

TEST(AuthorizationServer, HasSecureEndpointsOnly) {
  for (auto const* const name : {"authorization_endpoint", "token_endpoint",
                                 "registration_endpoint", "revocation_endpoint"}) {
    for (auto const* const bad :
         {"javascript:alert(1)//", "http://as.example/x", "data:,x", "relative"}) {
      json::Object document{{"issuer", "https://as.example"},
                            {"token_endpoint", "https://as.example/token"}};
      document[name] = bad;

      auto const found = read_authorization_server(document, "https://as.example");

      ASSERT_FALSE(found) << name << " " << bad;
      EXPECT_THAT(found.error().message, HasSubstr(name));
    }
  }
}

TEST(AuthorizationServer, NeedsATokenEndpoint) {
  EXPECT_FALSE(read_authorization_server(parsed(R"({"issuer":"https://as.example"})"),
                                         "https://as.example"));
}

TEST(Places, OfResourceMetadataHaveThePathFirst) {
  EXPECT_THAT(texts(resource_metadata_places(at("https://m.example/a/mcp?x"))),
              ElementsAre("https://m.example/.well-known/oauth-protected-resource/a/mcp",
                          "https://m.example/.well-known/oauth-protected-resource"));
  EXPECT_THAT(texts(resource_metadata_places(at("https://m.example/"))),
              ElementsAre("https://m.example/.well-known/oauth-protected-resource"));
}

TEST(Places, OfAnIssuerAreInTheRequiredOrder) {
  EXPECT_THAT(texts(*issuer_metadata_places("https://as.example/t/1")),
              ElementsAre("https://as.example/.well-known/oauth-authorization-server/t/1",
                          "https://as.example/.well-known/openid-configuration/t/1",
                          "https://as.example/t/1/.well-known/openid-configuration"));
  EXPECT_THAT(texts(*issuer_metadata_places("https://as.example")),
              ElementsAre("https://as.example/.well-known/oauth-authorization-server",
                          "https://as.example/.well-known/openid-configuration"));
  EXPECT_FALSE(issuer_metadata_places("http://as.example"));
  EXPECT_FALSE(issuer_metadata_places("https://as.example?x=1"));
  EXPECT_FALSE(issuer_metadata_places("javascript:x"));
}

TEST(ResourceName, HasNoQueryFragmentOrLastSlash) {
  EXPECT_EQ(resource_name(at("https://M.example:443/mcp/?a=b#c")), "https://m.example/mcp");
  EXPECT_EQ(resource_name(at("https://m.example/")), "https://m.example");
}

}  // namespace
}  // namespace sallyport::oauth::upstream
