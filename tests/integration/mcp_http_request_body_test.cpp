// Bodies and headers of `http_request`, byte by byte, over real connections.
#include "src/base/base64.hpp"

#include "tests/integration/http_request_fixture.hpp"

namespace sallyport::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string every_byte() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  return bytes;
}

RecordingOrigin::Answer echo(std::string const& content_type) {
  return [content_type](std::string const& request) {
    return Origin::ok(RecordingOrigin::body_of(request), "Content-Type: " + content_type + "\r\n");
  };
}

class HttpRequestBodyTest : public HttpRequestTest {
 protected:
  // What came to the origin, in `last_`, and what came back from it.
  AppReply echoed(std::string const& content_type, json::Object arguments) {
    RecordingOrigin origin{echo(content_type)};
    serve_for(origin);
    arguments["method"] = "POST";
    arguments["url"] = "/echo";
    auto reply = call(arguments);
    last_ = origin.last();
    EXPECT_FALSE(reply.is_error()) << reply.text();
    return reply;
  }
  std::string sent_body() const { return RecordingOrigin::body_of(last_); }
  std::string sent_type() const { return RecordingOrigin::field_of(last_, "Content-Type"); }

  std::string last_;
};

TEST_F(HttpRequestBodyTest, CarriesEveryByteBothWaysAsBase64) {
  auto const bytes = every_byte();

  auto const reply =
      echoed("application/octet-stream", {{"body", base64::encode(bytes)}, {"bodyType", "base64"}});

  EXPECT_TRUE(sent_body() == bytes);
  EXPECT_EQ(sent_type(), "");
  EXPECT_EQ(reply.facts().at("bodyType"), "base64");
  EXPECT_TRUE(base64::decode(reply.body()).value_or("") == bytes);
}

TEST_F(HttpRequestBodyTest, TextThatIsNotUtf8ComesBackByteByByteToo) {
  auto const bytes = every_byte();

  auto const reply =
      echoed("text/plain", {{"body", base64::encode(bytes)}, {"bodyType", "base64"}});

  EXPECT_EQ(reply.facts().at("bodyType"), "base64");
  EXPECT_TRUE(base64::decode(reply.body()).value_or("") == bytes);
}

TEST_F(HttpRequestBodyTest, CarriesTextWithItsLineBreaksAndNulls) {
  using namespace std::string_literals;
  auto const text = "Gr\u00FC\u00DFe\r\n\t\0\u2603 \U0001F600 \"\\"s;

  auto const reply = echoed("text/plain; charset=utf-8", {{"body", text}});

  EXPECT_TRUE(sent_body() == text);
  EXPECT_EQ(sent_type(), "text/plain;charset=UTF-8");
  EXPECT_EQ(reply.facts().at("bodyType"), "text");
  EXPECT_TRUE(reply.body() == text);
}

TEST_F(HttpRequestBodyTest, CarriesJsonWithItsOrderAndNumbers) {
  auto const* const text = R"({"z":12345678901234567890,"a":[0.1,-7,null,true],"\u00e9":"\u0000"})";

  auto const reply = echoed("application/json", {{"body", *json::parse(text)}});

  EXPECT_EQ(sent_body(),
            "{\"z\":12345678901234567890,\"a\":[0.1,-7,null,true],"
            "\"\u00E9\":\"\\u0000\"}");
  EXPECT_EQ(sent_type(), "application/json");
  EXPECT_EQ(reply.facts().at("bodyType"), "text");
  EXPECT_EQ(reply.body(), sent_body());
}

TEST_F(HttpRequestBodyTest, ParsesJsonWhereAskedTo) {
  auto const reply =
      echoed("application/json", {{"body", json::Object{{"a", 1}}}, {"responseType", "json"}});

  EXPECT_EQ(reply.facts().at("bodyType"), "json");
  EXPECT_EQ(reply.facts().at("body"), (json::Object{{"a", 1}}));
}

TEST_F(HttpRequestBodyTest, EncodesFormsAsBrowsersDo) {
  echoed("text/plain",
         {{"bodyType", "urlEncoded"},
          {"body", json::Array{json::Array{"q", "a b&c=d+e"}, json::Array{"\u00E9", "*-._~"}}}});

  EXPECT_EQ(sent_body(), "q=a+b%26c%3Dd%2Be&%C3%A9=*-._%7E");
  EXPECT_EQ(sent_type(), "application/x-www-form-urlencoded;charset=UTF-8");
}

TEST_F(HttpRequestBodyTest, SendsFilesOfAFormByteByByte) {
  auto const bytes = every_byte();

  echoed("text/plain",
         {{"bodyType", "formData"},
          {"body", json::Array{json::Object{{"name", "note"}, {"value", "line\nbreak"}},
                               json::Object{{"name", "file"},
                                            {"filename", "a\"b.bin"},
                                            {"contentType", "image/x-test"},
                                            {"encoding", "base64"},
                                            {"value", base64::encode(bytes)}}}}});

  ASSERT_THAT(sent_type(), StartsWith("multipart/form-data; boundary="));
  auto const boundary = sent_type().substr(sent_type().find('=') + 1);
  EXPECT_TRUE(sent_body() == "--" + boundary +
                                 "\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n"
                                 "line\r\nbreak\r\n--" +
                                 boundary +
                                 "\r\nContent-Disposition: form-data; name=\"file\"; "
                                 "filename=\"a%22b.bin\"\r\nContent-Type: image/x-test\r\n\r\n" +
                                 bytes + "\r\n--" + boundary + "--\r\n")
      << sent_body();
}

TEST_F(HttpRequestBodyTest, GetAndHeadHaveNoBodyWhateverTheAppSays) {
  RecordingOrigin origin{[](std::string const& request) {
    return request.starts_with("HEAD") ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
                                       : Origin::ok("hello");
  }};
  serve_for(origin);
  for (auto const* const method : {"GET", "HEAD"}) {
    auto const reply = call({{"method", method}, {"url", "/"}, {"body", "x"}});

    EXPECT_EQ(reply.status(), 200);
    EXPECT_THAT(origin.last(), StartsWith(method));
    EXPECT_EQ(RecordingOrigin::body_of(origin.last()), "");
    EXPECT_EQ(RecordingOrigin::field_of(origin.last(), "Content-Type"), "");
    EXPECT_EQ(reply.facts().at("bodyType"), *method == 'G' ? "text" : "none");
  }
}

TEST_F(HttpRequestBodyTest, AnAnswerOfFailureIsAnAnswer) {
  RecordingOrigin origin{[](std::string const&) {
    return "HTTP/1.1 404 Nothing Here\r\nContent-Length: 4\r\n\r\ngone";
  }};
  serve_for(origin);

  auto const reply = call({{"url", "/"}});

  EXPECT_FALSE(reply.is_error());
  EXPECT_EQ(reply.status(), 404);
  EXPECT_EQ(reply.facts().at("statusText"), "Nothing Here");
  EXPECT_EQ(reply.facts().at("ok"), false);
  EXPECT_EQ(reply.body(), "gone");
}

TEST_F(HttpRequestBodyTest, AnAnswerBeyondTheInlineLimitSaysWhoCanRaiseIt) {
  RecordingOrigin origin{[](std::string const&) { return Origin::ok(std::string(1001, 'x')); }};
  add_backend("api", origin.url()).response_bytes = 1000;
  serve();

  auto const reply = call({{"url", "/"}});

  EXPECT_TRUE(reply.is_error());
  EXPECT_EQ(reply.error_code(), "limit_exceeded");
  EXPECT_THAT(reply.text(), HasSubstr("inline limit of 1000 bytes"));
  EXPECT_THAT(reply.text(), HasSubstr("response_bytes of api"));
}

TEST_F(HttpRequestBodyTest, ARequestBeyondTheLimitIsNotSent) {
  RecordingOrigin origin{echo("text/plain")};
  add_backend("api", origin.url()).request_bytes = 1000;
  serve();

  auto const reply = call({{"url", "/"}, {"method", "POST"}, {"body", std::string(1001, 'x')}});

  EXPECT_EQ(reply.error_code(), "limit_exceeded");
  EXPECT_EQ(origin.count(), 0u);
}

TEST_F(HttpRequestBodyTest, HeadersThatRepeatAreAllThereAndCookiesAreNot) {
  RecordingOrigin origin{[](std::string const&) {
    return Origin::ok("x",
                      "X-Multi: a\r\nLink: </b>\r\nX-Multi: b\r\nSet-Cookie: sid=hidden-cookie\r\n"
                      "X-Latin: caf\xE9\r\n");
  }};
  serve_for(origin);

  auto const reply = call({{"url", "/"}});

  auto const& headers = reply.facts().at("headers").as_object();
  EXPECT_EQ(headers.at("x-multi"), "a, b");
  EXPECT_EQ(headers.at("x-latin"), "caf\u00E9");
  auto const& pairs = reply.facts().at("headerPairs").as_array();
  EXPECT_THAT(pairs, Contains(json::Value(json::Array{"x-multi", "a"})));
  EXPECT_THAT(pairs, Contains(json::Value(json::Array{"x-multi", "b"})));
  EXPECT_THAT(json::to_text(reply.result), Not(HasSubstr("hidden-cookie")));
}

TEST_F(HttpRequestBodyTest, HeadersThatAnAppMayNotSetAreDroppedAndTold) {
  RecordingOrigin origin{echo("text/plain")};
  serve_for(origin);

  auto const reply = call(
      {{"url", "/"},
       {"headers", json::Array{json::Array{"Host", "evil.example"}, json::Array{"Cookie", "a=1"},
                               json::Array{"Authorization", "Basic eA=="},
                               json::Array{"Sec-Fetch-Site", "none"}, json::Array{"X-Fine", "1"},
                               json::Array{"X-Fine", "2"}}}});

  EXPECT_EQ(reply.facts().at("droppedHeaders"),
            (json::Array{"Host", "Cookie", "Authorization", "Sec-Fetch-Site"}));
  EXPECT_THAT(RecordingOrigin::field_of(origin.last(), "Host"), StartsWith("127.0.0.1:"));
  for (auto const* const name : {"Cookie", "Authorization", "Sec-Fetch-Site"}) {
    EXPECT_EQ(RecordingOrigin::field_of(origin.last(), name), "");
  }
  EXPECT_THAT(origin.last(), HasSubstr("\r\nX-Fine: 1\r\n"));
  EXPECT_THAT(origin.last(), HasSubstr("\r\nX-Fine: 2\r\n"));
}

TEST_F(HttpRequestBodyTest, OrFailTheCallWhereTheBackendSaysSo) {
  RecordingOrigin origin{echo("text/plain")};
  add_backend("strict", origin.url()).forbidden_headers = tools::ForbiddenHeader::Refuse;
  serve();

  auto const reply = call({{"url", "/"}, {"headers", json::Object{{"Cookie", "a=1"}}}});

  EXPECT_EQ(reply.error_code(), "invalid_input");
  EXPECT_THAT(reply.text(), HasSubstr("Cookie"));
  EXPECT_EQ(origin.count(), 0u);
}

}  // namespace
}  // namespace sallyport::test
