#include "src/oauth/resource_metadata.hpp"

#include "src/oauth/resource_url.hpp"
#include "src/oauth/www_authenticate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace sallyport::oauth {
namespace {

http::ServerRequest request_to(std::string host, std::string path, bool secure = false) {
  return {.path = std::move(path), .headers = {{"Host", std::move(host)}}, .secure = secure};
}

InboundOptions options() {
  return {.jwt = JwtOptions{.issuer = "https://as.example", .required_scopes = {"mcp:read"}}};
}

TEST(ResourceMetadata, NamesResourceServersAndScopes) {
  auto with = options();
  with.resource = "https://mcp.example/mcp";
  with.authorization_servers = {"https://one.example", "https://two.example"};
  with.scopes_supported = {"mcp:read", "offline_access"};
  auto const metadata = *ResourceMetadata::create(with);

  EXPECT_EQ(metadata.document(request_to("elsewhere", "/")),
            R"({"resource":"https://mcp.example/mcp",)"
            R"("authorization_servers":["https://one.example","https://two.example"],)"
            R"("scopes_supported":["mcp:read"],"bearer_methods_supported":["header"]})");
  EXPECT_EQ(metadata.url(request_to("elsewhere", "/")),
            "https://mcp.example/.well-known/oauth-protected-resource/mcp");
}

TEST(ResourceMetadata, IsDerivedFromTheRequestAndTheTokensIssuer) {
  auto const metadata = *ResourceMetadata::create(options());

  for (auto const* path : {"/mcp", "/.well-known/oauth-protected-resource/mcp",
                           "/.well-known/oauth-protected-resource"}) {
    auto const request = request_to("127.0.0.1:8080", path);
    EXPECT_EQ(metadata.document(request),
              R"({"resource":"http://127.0.0.1:8080/mcp",)"
              R"("authorization_servers":["https://as.example"],)"
              R"("scopes_supported":["mcp:read"],"bearer_methods_supported":["header"]})")
        << path;
    EXPECT_EQ(metadata.url(request),
              "http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp");
  }
  EXPECT_EQ(metadata.url(request_to("mcp.example", "/mcp", true)),
            "https://mcp.example/.well-known/oauth-protected-resource/mcp");
}

TEST(ResourceMetadata, TakesNoOddHostIntoAHeader) {
  auto const metadata = *ResourceMetadata::create(options());

  for (auto const* host : {"", "a\"b", "a b", "a/b", "user@host", "a\\b", "a\r\nb", "a?b"}) {
    EXPECT_EQ(metadata.url(request_to(host, "/mcp")), "") << host;
  }
  EXPECT_EQ(metadata.url(request_to("host", "/m\"cp")), "");
  EXPECT_EQ(metadata.url({.path = "/mcp", .headers = {{"Host", "a"}, {"Host", "b"}}}), "");
}

TEST(ResourceMetadata, IsNotAnnouncedWithoutAnAuthorizationServer) {
  auto const metadata = *ResourceMetadata::create(InboundOptions{});

  EXPECT_EQ(metadata.url(request_to("host", "/mcp")), "");
}

TEST(ResourceMetadata, RefusesAResourceThatIsNoUrl) {
  for (auto const* resource : {"mcp.example", "ftp://a/mcp", "https://", "https://a/mcp#x",
                               "https://a/mcp?x", "https://u@a/mcp", "https://a/m\"cp"}) {
    auto with = options();
    with.resource = resource;
    EXPECT_FALSE(ResourceMetadata::create(with)) << resource;
  }
}

TEST(ResourceUrl, PutsTheWellKnownPartBeforeThePath) {
  for (auto const& [resource, url] :
       {std::pair{"https://a", "https://a/.well-known/oauth-protected-resource"},
        std::pair{"https://a/", "https://a/.well-known/oauth-protected-resource"},
        std::pair{"https://a:1/x/y", "https://a:1/.well-known/oauth-protected-resource/x/y"}}) {
    EXPECT_EQ(metadata_url_of(resource), url);
  }
}

TEST(ResourceUrl, KnowsWhichUrlsNobodyOnTheWayCanChange) {
  for (auto const* url : {"https://as.example/keys", "http://127.0.0.1:1/keys", "http://[::1]/keys",
                          "http://localhost/keys", "https://as.example/keys?version=2"}) {
    EXPECT_TRUE(is_secure_url(url)) << url;
  }
  for (auto const* url :
       {"http://as.example/keys", "http://127.0.0.1.example/", "http://localhost.example",
        "http://127.0.0.1@as.example/", "ftp://127.0.0.1/", "", "http://[::1].example/"}) {
    EXPECT_FALSE(is_secure_url(url)) << url;
  }
}

TEST(WwwAuthenticate, NamesWhatIsThere) {
  EXPECT_EQ(www_authenticate({.resource_metadata = "https://a/b", .scope = "r w"}),
            R"(Bearer resource_metadata="https://a/b", scope="r w")");
  EXPECT_EQ(www_authenticate({.resource_metadata = "https://a/b",
                              .scope = "r w",
                              .error = "invalid_token",
                              .error_description = "The token has expired."}),
            R"(Bearer resource_metadata="https://a/b", scope="r w", error="invalid_token", )"
            R"(error_description="The token has expired.")");
  EXPECT_EQ(www_authenticate({}), R"(Bearer realm="sallyport")");
}

TEST(WwwAuthenticate, QuotesWhatWouldEndTheValueOrTheHeader) {
  EXPECT_EQ(www_authenticate({.scope = "a\"b\\c\r\nd\xC3\xA4"}), R"(Bearer scope="a\"b\\c??d??")");
}

}  // namespace
}  // namespace sallyport::oauth
