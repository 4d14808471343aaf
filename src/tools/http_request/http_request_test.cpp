#include "src/tools/http_request.hpp"

#include "src/json/parse.hpp"
#include "src/json/schema.hpp"
#include "src/json/write.hpp"
#include "src/tools/http_request/app_gateway.hpp"
#include "src/tools/http_request/schemas.hpp"

#include "tests/support/run.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

namespace sallyport::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;

// A road that goes nowhere: it keeps what it is handed and gives what the test says, following
// redirects in the order of the answers.
struct FakeRoad final : pipeline::Road {
  struct Hop {
    std::string url;
    http::Headers headers;
  };
  std::vector<pipeline::OutboundRequest> sent;
  std::vector<Hop> hops;
  std::deque<std::pair<egress::ResponseHead, std::string>> answers;
  std::optional<Error> failure;

  Task<pipeline::OutboundAnswer> send(pipeline::Passage const& passage,
                                      pipeline::OutboundRequest request) override {
    EXPECT_NE(passage.request, nullptr);
    EXPECT_EQ(passage.operation, "http_request");
    if (failure) co_return *failure;
    auto url = *url::Url::parse(request.url);
    bool redirected = false;
    while (true) {
      auto headers = request.headers;
      if (request.before_hop) request.before_hop(url, headers);
      hops.push_back({url.href(), headers});
      auto [head, body] = answers.empty()
                              ? std::pair{egress::ResponseHead{.status = 200}, std::string{}}
                              : answers.front();
      if (!answers.empty()) answers.pop_front();
      if (request.after_hop) request.after_hop(url, head);
      auto const* location = head.headers.find("location");
      if (request.redirects == pipeline::Redirects::Follow && location != nullptr) {
        url = *url::Url::parse(*location, &url);
        if (!request.may_redirect_to(url)) {
          co_return fail(Errc::PolicyDenied, "The redirect leads to a place that is not allowed.");
        }
        redirected = true;
        continue;
      }
      sent.push_back(std::move(request));
      co_return pipeline::OutboundAnswer{
          .url = url, .redirected = redirected, .head = head, .body = body};
    }
  }
};

url::Url url_of(std::string_view text) {
  return *url::Url::parse(text);
}

Backend shop() {
  return {
      .name = "shop", .base = url_of("https://api.example.com/v1"), .response_bytes = 1'000'000};
}

struct App {
  FakeRoad road;
  HttpRequestOptions options{.backends = {shop()}};
  http::WallTime now{1'772'323'200s};
  RequestContext about{.principal = {.id = "alice"}};
  std::unique_ptr<AppGateway> gateway;

  mcp::ToolResult call(std::string_view arguments) {
    if (!gateway) {
      gateway = std::make_unique<AppGateway>(options, road, [this] { return now; });
    }
    auto const parsed = json::parse(arguments);
    EXPECT_TRUE(parsed) << arguments;
    auto result = test::run(gateway->call(about, parsed->get_object()));
    EXPECT_TRUE(result) << result.error().message;
    if (result->structured) {
      auto const schema = json::Schema::compile(http_request_output_schema());
      EXPECT_TRUE(schema->validate(*result->structured));
    }
    return *result;
  }
  json::Object get(std::string_view arguments) {
    auto const result = call(arguments);
    EXPECT_FALSE(result.is_error) << json::to_text(result.content);
    return result.structured ? result.structured->get_object() : json::Object{};
  }
  std::string error(std::string_view arguments) {
    auto const result = call(arguments);
    EXPECT_TRUE(result.is_error) << arguments;
    return std::string{json::view(result.content.at(0).at("text").get_string())};
  }
  void answer(int status, http::Headers headers, std::string body = {}) {
    road.answers.push_back({{.status = status, .headers = std::move(headers)}, std::move(body)});
  }
};

std::string json_text(std::string_view text) {
  std::string out;
  json::write_string(text, out);
  return out;
}

TEST(HttpRequestHeaders, AreNoMoreThanAFewHundred) {
  std::string pairs;
  for (int i = 0; i < 50'000; ++i) pairs += fmt::format(R"(["Sec-{}","x"],)", i);
  pairs.pop_back();
  App app;
  EXPECT_THAT(app.error(fmt::format(R"({{"url": "/x", "headers": [{}]}})", pairs)),
              HasSubstr("headers has more than 200 fields."));
  EXPECT_TRUE(app.road.sent.empty());
}

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

TEST(HttpRequestHeaders, ThatAnAppMayNotSetAreDroppedAndNamed) {
  App app;
  app.options.backends[0].denied_headers = {"x-internal"};
  auto const got = app.get(
      R"({"url":"/","headers":{"Cookie":"a=1","authorization":"x","HOST":"h","X-Internal":"1","X-Ok":"1"}})");

  EXPECT_EQ(app.road.sent[0].headers.size(), 1U);
  EXPECT_EQ(*app.road.sent[0].headers.find("x-ok"), "1");
  EXPECT_EQ(got.at("droppedHeaders").get_array().size(), 4U);
}

TEST(HttpRequestHeaders, AreRefusedWhereTheBackendSaysSo) {
  App app;
  app.options.backends[0].forbidden_headers = ForbiddenHeader::Refuse;
  app.options.backends[0].allowed_headers = {"x-ok"};

  app.get(R"({"url":"/","headers":{"X-OK":"1","accept":"*/*"}})");
  EXPECT_THAT(app.error(R"({"url":"/","headers":{"cookie":"a=1"}})"), HasSubstr("cookie"));
  EXPECT_THAT(app.error(R"({"url":"/","headers":{"x-other":"1"}})"), HasSubstr("x-other"));
}

TEST(HttpRequestHeaders, MayRepeatAsPairs) {
  App app;
  app.get(R"({"url":"/","headers":[["X-A","1"],["x-a"," 2 "]]})");

  EXPECT_EQ(app.road.sent[0].headers.count("x-a"), 2U);
  EXPECT_THAT(app.error(R"({"url":"/","headers":[["X-A","1\r\nX-B: 2"]]})"), HasSubstr("X-A"));
}

struct Sent {
  std::string body;
  std::string type;
};

Sent sent_body(std::string_view members) {
  App app;
  app.get(R"({"url":"/","method":"POST",)" + std::string{members} + "}");
  if (app.road.sent.empty()) return {};
  auto const* type = app.road.sent[0].headers.find("content-type");
  return {app.road.sent[0].body, type == nullptr ? "" : *type};
}

TEST(HttpRequestBodies, AreInferred) {
  EXPECT_EQ(sent_body(R"("body":"hé")").body, "hé");
  EXPECT_EQ(sent_body(R"("body":"hé")").type, "text/plain;charset=UTF-8");
  EXPECT_EQ(sent_body(R"("body":[1])").type, "application/json");
  EXPECT_EQ(sent_body(R"("body":null)").type, "");
}

TEST(HttpRequestBodies, KeepOrderAndNumbersOfJson) {
  auto const sent = sent_body(R"("body":{"b":[1,0.1],"a":9007199254740993,"n":null})");

  EXPECT_EQ(sent.body, R"({"b":[1,0.1],"a":9007199254740993,"n":null})");
  EXPECT_EQ(sent.type, "application/json");
  EXPECT_EQ(sent_body(R"("body":"x","bodyType":"json")").body, "\"x\"");
  EXPECT_EQ(sent_body(R"("body":{},"headers":{"Content-Type":"application/ld+json"})").type,
            "application/ld+json");
}

TEST(HttpRequestBodies, UrlEncodeAsFormsDo) {
  EXPECT_EQ(sent_body(R"("bodyType":"urlEncoded","body":"a=1&b=%20")").body, "a=1&b=%20");
  EXPECT_EQ(sent_body(R"("bodyType":"urlEncoded","body":{"a b":"ü&~*","n":[1,true]})").body,
            "a+b=%C3%BC%26%7E*&n=1&n=true");
  EXPECT_EQ(
      sent_body(R"("bodyType":"urlEncoded","body":[["a","1"],{"name":"a","value":"2"}])").body,
      "a=1&a=2");
  EXPECT_EQ(sent_body(R"("bodyType":"urlEncoded","body":"")").type,
            "application/x-www-form-urlencoded;charset=UTF-8");
}

TEST(HttpRequestBodies, MakeMultipartForms) {
  auto const sent = sent_body(
      R"("bodyType":"formData","headers":{"content-type":"multipart/form-data; boundary=xyz"},"body":[
        {"name":"a\"b\n","value":"1\n2"},
        {"name":"f","filename":"x\"y.bin","contentType":"image/png","value":"AAH/","encoding":"base64"},
        {"name":"g","filename":"t.txt","value":"1\n2"}])");

  EXPECT_EQ(sent.type, "multipart/form-data; boundary=xyz");
  EXPECT_EQ(
      sent.body,
      std::string{"--xyz\r\nContent-Disposition: form-data; name=\"a%22b%0D%0A\"\r\n\r\n1\r\n2\r\n"
                  "--xyz\r\nContent-Disposition: form-data; name=\"f\"; "
                  "filename=\"x%22y.bin\"\r\nContent-Type: image/png\r\n\r\n"} +
          std::string("\x00\x01\xFF", 3) +
          "\r\n--xyz\r\nContent-Disposition: form-data; name=\"g\"; filename=\"t.txt\"\r\n"
          "Content-Type: application/octet-stream\r\n\r\n1\n2\r\n--xyz--\r\n");
}

TEST(HttpRequestBodies, ChooseABoundaryThatIsNotInTheData) {
  auto const sent = sent_body(
      R"("bodyType":"formData","headers":{"content-type":"multipart/form-data; boundary=xyz"},"body":[
        {"name":"a","value":"--xyz"}])");

  EXPECT_THAT(sent.type, StartsWith("multipart/form-data; boundary=----SallyportFormBoundary"));
}

TEST(HttpRequestBodies, DecodeBase64Exactly) {
  EXPECT_EQ(sent_body(R"("bodyType":"base64","body":"AAH/")").body, std::string("\x00\x01\xFF", 3));
  EXPECT_EQ(sent_body(R"("bodyType":"base64","body":"AAH/")").type, "");
  App app;
  EXPECT_THAT(app.error(R"({"url":"/","method":"POST","bodyType":"base64","body":"AA-_"})"),
              HasSubstr("offset 2"));
  EXPECT_THAT(app.error(R"({"url":"/","method":"POST","bodyType":"base64","body":"AAA"})"),
              HasSubstr("multiple of 4"));
}

TEST(HttpRequestBodies, AreIgnoredForGetAndLimitedOtherwise) {
  App app;
  app.options.backends[0].request_bytes = 3;
  app.get(R"({"url":"/","body":"larger"})");

  EXPECT_EQ(app.road.sent[0].body, "");
  EXPECT_EQ(app.road.sent[0].headers.find("content-type"), nullptr);
  EXPECT_THAT(app.error(R"({"url":"/","method":"PUT","body":"larger"})"),
              HasSubstr("request_bytes of shop"));
}

TEST(HttpRequestResults, HaveTheShapeOfAResponse) {
  App app;
  app.answer(404,
             {{"X-A", "1"}, {"x-a", "2"}, {"Set-Cookie", "s=1"}, {"Content-Type", "text/plain"}},
             "gone");
  auto const got = app.get(R"({"url":"/cart?x=1"})");

  EXPECT_EQ(got.at("status"), 404);
  EXPECT_EQ(got.at("ok"), false);
  EXPECT_EQ(got.at("headers").at("x-a"), "1, 2");
  EXPECT_FALSE(got.at("headers").get_object().contains("set-cookie"));
  EXPECT_EQ(got.at("headerPairs").get_array().size(), 3U);
  EXPECT_EQ(got.at("body"), "gone");
  EXPECT_EQ(got.at("bodyType"), "text");
  EXPECT_EQ(got.at("url"), "/cart?x=1");
  EXPECT_EQ(got.at("redirected"), false);
}

TEST(HttpRequestResults, KeepEveryByteOfABody) {
  struct Case {
    std::string type;
    std::string bytes;
    std::string_view body;
    std::string_view body_type;
  };
  for (auto const& [type, bytes, body, body_type] :
       {Case{"application/json", "{\"a\": 1.0}", "{\"a\": 1.0}", "text"},
        Case{"application/vnd.x+json; q=1", "[]", "[]", "text"},
        Case{"text/plain", "\xFF", "/w==", "base64"}, Case{"image/png", "abc", "YWJj", "base64"},
        Case{"", "abc", "abc", "text"}}) {
    App app;
    app.answer(200, type.empty() ? http::Headers{} : http::Headers{{"Content-Type", type}}, bytes);
    auto const got = app.get(R"({"url":"/"})");
    EXPECT_EQ(json::view(got.at("body").get_string()), body) << type;
    EXPECT_EQ(json::view(got.at("bodyType").get_string()), body_type) << type;
  }
}

TEST(HttpRequestResults, AreParsedOrEncodedOnRequest) {
  App app;
  app.answer(200, {}, "{\"a\":1}");
  app.answer(200, {}, "no json");
  app.answer(200, {}, "abc");
  EXPECT_EQ(app.get(R"({"url":"/","responseType":"json"})").at("body").at("a"), 1);
  EXPECT_EQ(app.get(R"({"url":"/","responseType":"json"})").at("bodyType"), "text");
  EXPECT_EQ(app.get(R"({"url":"/","responseType":"base64"})").at("body"), "YWJj");
}

TEST(HttpRequestResults, WithoutABodyAreNone) {
  App app;
  app.answer(204, {});
  app.answer(200, {});
  app.answer(200, {}, "of head");
  EXPECT_EQ(app.get(R"({"url":"/"})").at("bodyType"), "none");
  EXPECT_EQ(app.get(R"({"url":"/"})").at("bodyType"), "none");
  EXPECT_TRUE(app.get(R"({"url":"/","method":"HEAD"})").at("body").is_null());
}

TEST(HttpRequestResults, DoNotRepeatALargeBodyAsText) {
  App app;
  app.answer(200, {{"Content-Type", "text/plain"}}, std::string(100'000, 'x'));
  auto const result = app.call(R"({"url":"/"})");

  EXPECT_LT(result.content.at(0).at("text").get_string().size(), 200U);
  EXPECT_EQ(result.structured->at("body").get_string().size(), 100'000U);
}

TEST(HttpRequestFailures, NameACodeForTheWrapper) {
  App app;
  app.road.failure = fail(Errc::EgressBlocked, "10.0.0.1 is a private address.");
  auto const result = app.call(R"({"url":"/"})");

  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(result.content.at(0).at("text"), "Error: 10.0.0.1 is a private address.");
  EXPECT_EQ(result.meta.at("sallyport/error").at("code"), "egress_blocked");
}

TEST(HttpRequestFailures, OfALargeAnswerSayWhatToDo) {
  App app;
  app.road.failure = fail(Errc::LimitExceeded, "The answer is larger than the limit of 1 MB.");

  EXPECT_THAT(app.error(R"({"url":"/"})"), HasSubstr("inline limit of 1000000 bytes"));
}

TEST(HttpRequestTimeouts, AreThoseOfTheCallWithinTheLimit) {
  App app;
  app.get(R"({"url":"/","timeoutMs":1500.5})");
  app.get(R"({"url":"/?2","timeoutMs":1e99})");
  app.get(R"({"url":"/?3"})");

  EXPECT_EQ(app.road.sent[0].timeout, 1501ms);
  EXPECT_EQ(app.road.sent[1].timeout, 120'000ms);
  EXPECT_EQ(app.road.sent[2].timeout, 30'000ms);
  EXPECT_THAT(app.error(R"({"url":"/","timeoutMs":0})"), HasSubstr("timeoutMs"));
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
      co_await site.injector.inject(url_of(url), "GET", about, headers);
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

TEST(HttpRequestTool, IsForAppsAndTakesTheCallsOfTheProposal) {
  FakeRoad road;
  auto const tool = http_request({.backends = {shop()}}, road);
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
