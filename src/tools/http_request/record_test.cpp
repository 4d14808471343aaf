// Calls that do not come to the road leave a record all the same.
#include "src/tools/http_request/test_app.hpp"

#include <gmock/gmock.h>

namespace sallyport::tools {
namespace {

using test_app::App;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(HttpRequestRecords, HoldWhatWasRefusedBeforeTheRoad) {
  struct Case {
    char const* arguments;
    Errc code;
    char const* url;
    char const* method;
    char const* server;
  };
  for (auto const& [arguments, code, url, method, server] : std::vector<Case>{
           {R"({"url":"/other/x"})", Errc::PolicyDenied, "https://api.example.com/v1/other/x",
            "GET", ""},
           {R"({"url":"/../admin","method":"PUT"})", Errc::PolicyDenied,
            "https://api.example.com/admin", "PUT", ""},
           {R"({"url":"/api","method":"PURGE"})", Errc::PolicyDenied,
            "https://api.example.com/v1/api", "PURGE", ""},
           {R"({"url":"/api","backend":"nowhere"})", Errc::NotFound, "/api", "GET", "nowhere"},
           {R"({"url":"/api","headers":{"X-Bad":"a\nb"}})", Errc::InvalidInput,
            "https://api.example.com/v1/api", "GET", ""},
           {R"({"url":"/api","headers":{"Host":"x"}})", Errc::InvalidInput,
            "https://api.example.com/v1/api", "GET", ""},
           {R"({"url":"/api","timeoutMs":0})", Errc::InvalidInput, "https://api.example.com/v1/api",
            "GET", ""},
           {R"({"url":"//evil.example/x"})", Errc::PolicyDenied, "https://evil.example/x", "GET",
            ""},
           {R"({"url":"https://evil.example/"})", Errc::PolicyDenied, "https://evil.example/",
            "GET", ""}}) {
    App app;
    app.options.backends[0].paths = {"/api"};
    app.options.backends[0].forbidden_headers = ForbiddenHeader::Refuse;

    auto const shown = app.error(arguments);

    ASSERT_THAT(app.road.unsent, SizeIs(1)) << arguments;
    auto const& [passage, call] = app.road.unsent[0];
    EXPECT_EQ(passage.tool, "http_request");
    EXPECT_EQ(passage.server, server) << arguments;
    EXPECT_EQ(call.url, url);
    EXPECT_EQ(call.method, method);
    ASSERT_TRUE(call.refusal) << arguments;
    EXPECT_EQ(call.refusal->code, code) << arguments;
    EXPECT_THAT(shown, HasSubstr(call.refusal->message));
    EXPECT_THAT(app.road.hops, IsEmpty());
  }
}

TEST(HttpRequestRecords, HoldWhatTheCacheAnswered) {
  App app;
  app.answer(200, {{"Cache-Control", "max-age=60"}}, "kept");
  app.get(R"({"url":"/cart?x=1"})");
  ASSERT_THAT(app.road.unsent, IsEmpty());

  auto const again = app.get(R"({"url":"/cart?x=1"})");

  EXPECT_EQ(again.at("body"), "kept");
  EXPECT_THAT(app.road.hops, SizeIs(1));
  ASSERT_THAT(app.road.unsent, SizeIs(1));
  auto const& [passage, call] = app.road.unsent[0];
  EXPECT_EQ(passage.server, "shop");
  EXPECT_EQ(call.url, "https://api.example.com/v1/cart?x=1");
  EXPECT_EQ(call.reason, "served from cache");
  EXPECT_EQ(call.status, 200);
  EXPECT_FALSE(call.refusal);
}

TEST(HttpRequestRecords, HoldThatTheCacheHadNoAnswer) {
  App app;

  app.call(R"({"url":"/cart","cache":"only-if-cached"})");

  ASSERT_THAT(app.road.unsent, SizeIs(1));
  EXPECT_THAT(app.road.unsent[0].second.reason, HasSubstr("not in the cache"));
  EXPECT_THAT(app.road.hops, IsEmpty());
}

TEST(HttpRequestRecords, ThatCannotBeWrittenWithholdTheAnswer) {
  App app;
  app.answer(200, {{"Cache-Control", "max-age=60"}}, "kept");
  app.get(R"({"url":"/cart"})");
  app.road.recorded = fail(Errc::LimitExceeded, "The audit log is full.");

  EXPECT_THAT(app.error(R"({"url":"/cart"})"), HasSubstr("The audit log is full."));
}

TEST(HttpRequestRecords, ThatCannotBeWrittenReplaceARefusal) {
  App app;
  app.road.recorded = fail(Errc::LimitExceeded, "The audit log is full.");

  EXPECT_THAT(app.error(R"({"url":"//evil.example/"})"), HasSubstr("The audit log is full."));
}

// Two issuers may give the same subject to different people.
TEST(HttpRequestRecords, CookiesCacheAndRateAreOfAPrincipalAndItsIssuer) {
  App app;
  app.options.backends[0].rate = {2, std::chrono::hours{1}};
  app.about.principal.issuer = "https://one.example";
  app.answer(200, {{"Cache-Control", "max-age=60"}, {"Set-Cookie", "id=ones"}}, "of one");
  app.get(R"({"url":"/cart"})");

  app.about.principal.issuer = "https://two.example";
  app.answer(200, {}, "of two");

  EXPECT_EQ(app.get(R"({"url":"/cart"})").at("body"), "of two");
  EXPECT_EQ(app.road.hops.back().headers.find("cookie"), nullptr);
  app.get(R"({"url":"/cart"})");
  EXPECT_THAT(app.error(R"({"url":"/cart"})"), HasSubstr("Too many calls"));
}

}  // namespace
}  // namespace sallyport::tools
