// What is kept for an app: cookies, credentials, the cache.
#include "src/tools/http_request/test_app.hpp"

#include <gmock/gmock.h>

namespace sallyport::tools {
namespace {

using test_app::App;
using test_app::shop;
using test_app::url_of;
using testing::HasSubstr;
using namespace std::chrono_literals;

TEST(HttpRequestCookies, ComeBackToTheirPrincipalAndBackendOnly) {
  App app;
  app.options.backends.push_back(shop());
  app.options.backends[1].name = "other";
  app.answer(200, {{"Set-Cookie", "s=1; Path=/; Secure"}});
  app.get(R"({"url":"/login"})");
  auto const sent = [&](std::string_view arguments) {
    app.get(arguments);
    auto const* cookie = app.road.hops.back().headers.find("cookie");
    return cookie == nullptr ? std::string{} : *cookie;
  };

  EXPECT_EQ(sent(R"({"url":"/x"})"), "s=1");
  EXPECT_EQ(sent(R"({"url":"/x","credentials":"include"})"), "s=1");
  EXPECT_EQ(sent(R"({"url":"/x","credentials":"omit"})"), "");
  EXPECT_EQ(sent(R"({"url":"/x","backend":"other"})"), "");
  app.about.principal.id = "bob";
  EXPECT_EQ(sent(R"({"url":"/x"})"), "");
}

TEST(HttpRequestCookies, AreNotKeptWithOmitNorForOthersWithSameOrigin) {
  App app;
  app.options.absolute = {url_of("https://cdn.example/")};
  auto const cookie_after = [&](std::string const& mode) {
    app.answer(200, {{"Set-Cookie", "s=1; Path=/"}});
    app.get(R"({"url":"https://cdn.example/x","credentials":")" + mode + "\"}");
    app.get(R"({"url":"https://cdn.example/x","credentials":"include"})");
    return app.road.hops.back().headers.find("cookie") != nullptr;
  };

  EXPECT_FALSE(cookie_after("omit"));
  EXPECT_FALSE(cookie_after("same-origin"));
  EXPECT_TRUE(cookie_after("include"));
}

TEST(HttpRequestCredentials, AreLeftOutWithOmit) {
  App app;
  app.get(R"({"url":"/"})");
  app.get(R"({"url":"/?2","credentials":"omit"})");

  EXPECT_NE(app.road.sent[0].credentials, nullptr);
  EXPECT_TRUE(app.road.sent[0].inject);
  EXPECT_EQ(app.road.sent[1].credentials, nullptr);
  EXPECT_FALSE(app.road.sent[1].inject);
}

TEST(HttpRequestCredentials, ReachTheBackendOnly) {
  Backend backend = shop();
  credentials::Rule rule{.header = "Authorization",
                         .source = credentials::fixed_source(Secret{"Bearer x"})};
  rule.reach.hosts = {"*"};
  backend.credentials = {rule};
  Site const site{backend, true};
  RequestContext const about;
  auto const added = [&](std::string_view url) {
    http::Headers headers;
    auto const ask = [&]() -> Task<bool> {
      co_await site.injector.inject(url_of(url), "GET", {.request = about}, headers);
      co_return headers.find("authorization") != nullptr;
    };
    return *test::run(ask());
  };

  EXPECT_TRUE(added("https://api.example.com/v1/x"));
  EXPECT_FALSE(added("https://api.example.com/v2/x"));
  EXPECT_FALSE(added("http://api.example.com/v1/x"));
  EXPECT_FALSE(added("https://other.example.com/v1/x"));
}

TEST(HttpRequestCache, ServesWhatIsFreshAndRevalidatesWhatIsStale) {
  App app;
  app.answer(200, {{"Cache-Control", "max-age=60"}, {"ETag", "\"1\""}}, "one");
  app.get(R"({"url":"/a"})");
  EXPECT_EQ(app.get(R"({"url":"/a"})").at("body"), "one");
  EXPECT_EQ(app.road.hops.size(), 1U);
  app.now += 100s;
  app.answer(304, {});

  EXPECT_EQ(app.get(R"({"url":"/a"})").at("status"), 200);
  EXPECT_EQ(*app.road.hops.back().headers.find("if-none-match"), "\"1\"");
}

TEST(HttpRequestCache, IsOfOnePrincipalAndOneCredentialsMode) {
  App app;
  app.answer(200, {{"Cache-Control", "max-age=60"}}, "alice's");
  app.get(R"({"url":"/a"})");
  EXPECT_EQ(app.get(R"({"url":"/a","credentials":"omit"})").at("bodyType"), "none");
  app.about.principal.id = "bob";

  EXPECT_EQ(app.get(R"({"url":"/a"})").at("bodyType"), "none");
}

TEST(HttpRequestCache, AsksOtherUrlsOfARedirectWithoutItsValidators) {
  App app;
  app.answer(200, {{"ETag", "\"1\""}}, "one");
  app.get(R"({"url":"/a"})");
  app.answer(302, {{"Location", "/v1/b"}});
  app.answer(200, {{"Cache-Control", "max-age=60"}}, "b");
  EXPECT_EQ(app.get(R"({"url":"/a"})").at("body"), "b");

  EXPECT_NE(app.road.hops[1].headers.find("if-none-match"), nullptr);
  EXPECT_EQ(app.road.hops[2].headers.find("if-none-match"), nullptr);
  EXPECT_EQ(app.get(R"({"url":"/b"})").at("body"), "b");
  EXPECT_EQ(app.road.hops.size(), 3U);
}

TEST(HttpRequestCache, ForgetsWhatAWriteChanged) {
  App app;
  app.answer(200, {{"Cache-Control", "max-age=60"}}, "old");
  app.get(R"({"url":"/items/1"})");
  app.answer(201, {{"Location", "/v1/items/1"}});
  app.get(R"({"url":"/items","method":"POST","body":"x"})");
  app.answer(200, {}, "new");

  EXPECT_EQ(app.get(R"({"url":"/items/1"})").at("body"), "new");
}

TEST(HttpRequestCache, OnlyIfCachedFailsWithoutAnEntry) {
  App app;

  EXPECT_THAT(app.error(R"({"url":"/a","cache":"only-if-cached"})"), HasSubstr("only-if-cached"));
  EXPECT_TRUE(app.road.hops.empty());
}

}  // namespace
}  // namespace sallyport::tools
