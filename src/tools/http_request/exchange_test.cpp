// What an app sends and gets back: headers, bodies, results, failures.
#include "src/tools/http_request/test_app.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace sallyport::tools {
namespace {

using test_app::App;
using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;

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

TEST(HttpRequestHeaders, AreNoMoreThanAFewHundred) {
  std::string pairs;
  for (int i = 0; i < 50'000; ++i) pairs += fmt::format(R"(["Sec-{}","x"],)", i);
  pairs.pop_back();
  App app;
  EXPECT_THAT(app.error(fmt::format(R"({{"url": "/x", "headers": [{}]}})", pairs)),
              HasSubstr("headers has more than 200 fields."));
  EXPECT_TRUE(app.road.sent.empty());
}

TEST(HttpRequestHeaders, MayRepeatAsPairs) {
  App app;
  app.get(R"({"url":"/","headers":[["X-A","1"],["x-a"," 2 "]]})");

  EXPECT_EQ(app.road.sent[0].headers.count("x-a"), 2U);
  EXPECT_THAT(app.error(R"({"url":"/","headers":[["X-A","1\r\nX-B: 2"]]})"), HasSubstr("X-A"));
}

TEST(HttpRequestHeaders, AreBytesAsInABrowser) {
  App app;
  app.get(R"({"url":"/","headers":{"X-A":"caf\u00e9 \u0080\u00ff"}})");

  EXPECT_EQ(*app.road.sent[0].headers.find("x-a"), "caf\xE9 \x80\xFF");
  EXPECT_TRUE(app.road.sent[0].header_bytes);
  EXPECT_THAT(app.error(R"({"url":"/","headers":{"X-A":"10 \u20ac"}})"), HasSubstr("U+00FF"));
  // Nothing that would be another line after the conversion.
  EXPECT_THAT(app.error(R"({"url":"/","headers":{"X-A":"\u00e9\r\nX-B: 1"}})"), HasSubstr("X-A"));
  EXPECT_THAT(app.error(R"({"url":"/","headers":{"X-A":"\u010d\u010a"}})"), HasSubstr("X-A"));
}

TEST(HttpRequestHeaders, SayWhoAsksWhereTheAppDoesNot) {
  App app;
  app.options.user_agent = "Gateway/1";
  app.get(R"({"url":"/"})");
  app.get(R"({"url":"/","headers":{"user-agent":"Own/2"}})");

  EXPECT_EQ(*app.road.sent[0].headers.find("user-agent"), "Gateway/1");
  EXPECT_EQ(*app.road.sent[1].headers.find("user-agent"), "Own/2");
  EXPECT_EQ(app.road.sent[1].headers.count("user-agent"), 1U);
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

}  // namespace
}  // namespace sallyport::tools
