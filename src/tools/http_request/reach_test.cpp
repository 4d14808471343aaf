// Where an app may send: URLs, backends, methods and redirects.
#include "src/tools/http_request.hpp"
#include "src/tools/http_request/test_app.hpp"

#include <gmock/gmock.h>

namespace sallyport::tools {
namespace {

using test_app::App;
using test_app::FakeRoad;
using test_app::json_text;
using test_app::shop;
using test_app::url_of;
using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;

TEST(HttpRequestUrls, AreJoinedToTheBackend) {
  for (auto const& [given, asked] : std::vector<std::pair<std::string, std::string>>{
           {"/cart?x=1", "https://api.example.com/v1/cart?x=1"},
           {"cart", "https://api.example.com/v1/cart"},
           {"?x=1", "https://api.example.com/v1?x=1"},
           {"/", "https://api.example.com/v1/"},
           {"/a/../b#frag", "https://api.example.com/v1/b"},
           {"/groups/a%2Fb", "https://api.example.com/v1/groups/a%2Fb"},
           {"https://api.example.com/v1/x", "https://api.example.com/v1/x"}}) {
    App app;
    app.get("{\"url\":" + json_text(given) + "}");
    ASSERT_EQ(app.road.sent.size(), 1U) << given;
    EXPECT_EQ(app.road.sent[0].url, asked);
  }
}

TEST(HttpRequestUrls, ThatLeaveTheBackendAreRefused) {
  for (auto const* given : {"/../admin",
                            "/%2e%2e/admin",
                            "/.%2E/admin",
                            "/..\\admin",
                            "\\..\\admin",
                            "//evil.example/x",
                            "\\\\evil.example/x",
                            "/\\evil.example",
                            "\t//evil.example",
                            "/\t/evil.example",
                            "https://evil.example/v1/x",
                            "https://api.example.com/v2",
                            "https://api.example.com/v1x",
                            "http://api.example.com/v1/x",
                            "https://api.example.com:8443/v1/x",
                            "https:evil.example",
                            "javascript:alert(1)",
                            "/..%2fadmin",
                            "/a/..%5c..%5c..%5cadmin",
                            "/%252e%252e%252fadmin",
                            "/..;/admin",
                            "https://user:pw@api.example.com/v1/x",
                            "file:///etc/passwd"}) {
    App app;
    EXPECT_THAT(app.error("{\"url\":" + json_text(given) + "}"), StartsWith("Error: ")) << given;
    EXPECT_TRUE(app.road.hops.empty()) << given;
  }
}

TEST(HttpRequestUrls, PathsAreAllowedByWholeSegments) {
  App app;
  app.options.backends[0].paths = {"/api", "/public/"};

  app.get(R"({"url":"/api"})");
  app.get(R"({"url":"/api/x"})");
  app.get(R"({"url":"/public/x"})");
  for (auto const* url : {"/apix", "/", "/other", "/api/../other", "/api%2f..%2fother"}) {
    EXPECT_THAT(app.error("{\"url\":" + json_text(url) + "}"), StartsWith("Error: ")) << url;
  }
}

TEST(HttpRequestUrls, AbsoluteOnesNeedTheAllowlist) {
  App app;
  app.options.absolute = {url_of("https://cdn.example/assets")};
  auto const got = app.get(R"({"url":"https://cdn.example/assets/a.js"})");

  EXPECT_EQ(got.at("url"), "https://cdn.example/assets/a.js");
  EXPECT_THAT(app.error(R"({"url":"https://cdn.example/assetsx"})"), HasSubstr("cdn.example"));
  EXPECT_THAT(app.error(R"({"url":"https://cdn.example/"})"), HasSubstr("cdn.example"));
}

TEST(HttpRequestBackends, AreChosenByName) {
  App app;
  app.options.backends.push_back({.name = "mail", .base = url_of("http://mail.corp:8080/")});
  app.options.backends[1].private_network = true;
  app.get(R"({"url":"/inbox","backend":"mail"})");

  EXPECT_EQ(app.road.sent[0].url, "http://mail.corp:8080/inbox");
  ASSERT_EQ(app.road.sent[0].open.size(), 1U);
  EXPECT_EQ(app.road.sent[0].open[0].host, "mail.corp");
  EXPECT_EQ(app.road.sent[0].open[0].port, 8080);
  EXPECT_THAT(app.error(R"({"url":"/x","backend":"nope"})"), HasSubstr("no backend \"nope\""));
}

TEST(HttpRequestBackends, LimitTheRateOfEachPrincipal) {
  App app;
  app.options.backends[0].rate = {.count = 2, .period = 1h};
  app.get(R"({"url":"/"})");
  app.get(R"({"url":"/"})");
  EXPECT_THAT(app.error(R"({"url":"/"})"), HasSubstr("Too many"));
  app.about.principal.id = "bob";

  app.get(R"({"url":"/"})");
}

TEST(HttpRequestMethods, AreNormalizedAndChecked) {
  App app;
  app.options.backends[0].methods = {"GET", "PATCH"};
  app.get(R"({"url":"/","method":"get"})");
  EXPECT_EQ(app.road.sent[0].method, "GET");

  EXPECT_THAT(app.error(R"({"url":"/","method":"patch"})"), HasSubstr("it offers GET, PATCH"));
  EXPECT_THAT(app.error(R"({"url":"/","method":"DELETE"})"), HasSubstr("DELETE"));
  EXPECT_THAT(app.error(R"({"url":"/","method":"trace"})"), HasSubstr("forbidden"));
  EXPECT_THAT(app.error(R"({"url":"/","method":"A B"})"), HasSubstr("method"));
}

TEST(HttpRequestRedirects, StayWithinReach) {
  App app;
  app.answer(302, {{"Location", "/v1/b"}});
  app.answer(200, {}, "b");
  auto const got = app.get(R"({"url":"/a"})");
  EXPECT_EQ(got.at("url"), "/b");
  EXPECT_EQ(got.at("redirected"), true);

  for (auto const* location : {"https://evil.example/", "/v2/x", "//evil.example/v1/"}) {
    app.answer(302, {{"Location", location}});
    EXPECT_THAT(app.error(R"({"url":"/a"})"), HasSubstr("not allowed")) << location;
  }
}

TEST(HttpRequestRedirects, AreHandedOutWhenManual) {
  App app;
  app.answer(302, {{"Location", "/v1/b"}});
  auto const got = app.get(R"({"url":"/a","redirect":"manual"})");

  EXPECT_EQ(got.at("status"), 302);
  EXPECT_EQ(got.at("type"), "opaqueredirect");
  EXPECT_EQ(got.at("redirected"), false);
}

TEST(HttpRequestTool, IsForAppsAndTakesTheCallsOfTheProposal) {
  test_app::FakeRoad road;
  auto const tool = app_tools({.backends = {shop()}}, road).front();
  auto const schema = json::Schema::compile(tool.input_schema);

  EXPECT_EQ(json::to_text(tool.meta), R"({"ui":{"visibility":["app"]}})");
  ASSERT_TRUE(schema);
  for (
      auto const* call :
      {R"({"url":"/api/cart"})",
       R"({"method":"POST","url":"/api","headers":{"a":"b"},"body":{"x":1},"bodyType":"json","redirect":"manual","cache":"no-store","credentials":"include","timeoutMs":10})",
       R"({"url":"/","body":[{"name":"a","value":"b"}],"bodyType":"formData"})",
       R"({"url":"/","headers":[["a","b"]]})"}) {
    EXPECT_TRUE(schema->validate(*json::parse(call))) << call;
  }
  EXPECT_FALSE(schema->validate(*json::parse(R"({"method":"GET"})")));
  EXPECT_FALSE(schema->validate(*json::parse(R"({"url":"/","headers":[["a"]]})")));
}

}  // namespace
}  // namespace sallyport::tools
