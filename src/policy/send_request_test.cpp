#include "src/policy/send_request.hpp"

#include "src/rego/build.hpp"
#include "src/rego/json.hpp"

#include <gmock/gmock.h>

namespace sallyport::policy {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Result<ReadRequest> read_with(std::string_view members) {
  rego::Arena arena;
  auto const text = R"({"method": "get", "url": "https://a.test/")" + std::string{members} + "}";
  auto const object = rego::parse_json(text, arena);
  EXPECT_TRUE(object) << text;
  return read_send_request(*object);
}

std::string refusal_with(std::string_view members) {
  auto const came = read_with(members);
  return came ? "accepted" : came.error().message;
}

std::string answered(http::Response const& response, Decode decode = Decode::ByType) {
  rego::Arena arena;
  return rego::to_json(answer_value(response, decode, arena));
}

TEST(SendRequest, HasWhatThePolicySays) {
  auto const came = read_with(R"(, "headers": {"X-A": "1"}, "body": {"b": [1]}, "timeout": "200ms",
                              "enable_redirect": true, "force_json_decode": true)");

  ASSERT_TRUE(came) << came.error().message;
  EXPECT_EQ(came->request.method, "GET");
  EXPECT_EQ(came->request.url, "https://a.test/");
  EXPECT_EQ(*came->request.headers.find("x-a"), "1");
  EXPECT_EQ(came->request.body, R"({"b":[1]})");
  EXPECT_TRUE(came->request.follow_redirects);
  EXPECT_EQ(came->timeout, 200ms);
  EXPECT_EQ(came->decode, Decode::Json);
}

TEST(SendRequest, HasDefaultsAsInOpa) {
  auto const came = read_with("");

  ASSERT_TRUE(came) << came.error().message;
  EXPECT_EQ(came->request.body, "");
  EXPECT_FALSE(came->request.follow_redirects);
  EXPECT_EQ(came->timeout, 5s);
  EXPECT_EQ(came->decode, Decode::ByType);
}

TEST(SendRequest, SendsARawBodyAsItIs) {
  EXPECT_EQ(read_with(R"(, "raw_body": "a=b", "body": {})")->request.body, "a=b");
  EXPECT_EQ(read_with(R"(, "body": "text")")->request.body, R"("text")");
}

TEST(SendRequest, ReadsTimeoutsAsNumbersAndTexts) {
  EXPECT_EQ(read_with(R"(, "timeout": 1000000)")->timeout, 1ms);
  EXPECT_EQ(read_with(R"(, "timeout": "1000000")")->timeout, 1ms);
  EXPECT_EQ(read_with(R"(, "timeout": "1.5s")")->timeout, 1500ms);
  EXPECT_EQ(read_with(R"(, "timeout": 0)")->timeout, 1h);
  EXPECT_EQ(read_with(R"(, "timeout": 9223372036854775807)")->timeout, 1h);
  EXPECT_THAT(refusal_with(R"(, "timeout": "soon")"), HasSubstr("invalid timeout value \"soon\""));
  EXPECT_THAT(refusal_with(R"(, "timeout": 1.5)"), HasSubstr("must be int64"));
  EXPECT_THAT(refusal_with(R"(, "timeout": [])"), HasSubstr("but got array"));
}

TEST(SendRequest, RefusesWhatIsOfTheWrongType) {
  EXPECT_EQ(refusal_with(R"(, "raw_body": 1)"), "\"raw_body\" must be a string");
  EXPECT_EQ(refusal_with(R"(, "headers": [])"), "invalid type for headers key");
  EXPECT_EQ(refusal_with(R"(, "headers": {"A": 1})"), "invalid type for headers value of \"A\"");
  EXPECT_EQ(refusal_with(R"(, "enable_redirect": "no")"),
            "invalid value for enable_redirect field");
  EXPECT_EQ(refusal_with(R"(, "force_json_decode": 1)"),
            "invalid value for force_json_decode field");
}

TEST(SendRequest, RefusesWhatIsNotOfferedHere) {
  EXPECT_THAT(refusal_with(R"(, "tls_ca_cert_file": "/ca.pem")"),
              HasSubstr("`tls_ca_cert_file` is not offered: TLS is set up by the settings"));
  EXPECT_THAT(refusal_with(R"(, "tls_insecure_skip_verify": true)"), HasSubstr("is not offered"));
  EXPECT_THAT(refusal_with(R"(, "max_retry_attempts": 3)"), HasSubstr("is not offered"));
  EXPECT_EQ(refusal_with(R"(, "max_retry_attempts": 0)"), "accepted");
}

TEST(SendRequest, MayUseAnAnswerAgain) {
  EXPECT_EQ(read_with("")->reuse, Reuse::No);
  EXPECT_EQ(read_with(R"(, "cache": true)")->reuse, Reuse::AsItSays);
  auto const forced = read_with(R"(, "cache": true, "force_cache": true,
                                "force_cache_duration_seconds": 30)");
  EXPECT_EQ(forced->reuse, Reuse::Forced);
  EXPECT_EQ(forced->forced_lifetime, 30s);
  EXPECT_EQ(refusal_with(R"(, "force_cache": true)"),
            "'force_cache' set but 'force_cache_duration_seconds' parameter is missing");
  EXPECT_THAT(refusal_with(R"(, "force_cache": true, "force_cache_duration_seconds": "1")"),
              HasSubstr("invalid value"));
  EXPECT_THAT(refusal_with(R"(, "cache": "yes")"), HasSubstr("invalid value for cache"));
}

TEST(SendRequest, TellsRequestsApartByAllButTheHeadersThatAreIgnored) {
  auto const key = [](std::string const& members) { return read_with(members)->key; };
  auto const* const ignore = R"(, "cache_ignored_headers": ["X-Trace"])";

  EXPECT_NE(key(R"(, "headers": {"A": "1"})"), key(R"(, "headers": {"A": "2"})"));
  EXPECT_NE(key(R"(, "body": 1)"), key(R"(, "raw_body": "1")"));
  EXPECT_EQ(key(R"(, "headers": {"A": "1", "X-Trace": "1"})" + std::string{ignore}),
            key(R"(, "headers": {"A": "1", "X-Trace": "2"})" + std::string{ignore}));
  EXPECT_NE(key(R"(, "headers": {"A": "1"})" + std::string{ignore}),
            key(R"(, "headers": {"A": "2"})" + std::string{ignore}));
  EXPECT_THAT(refusal_with(R"(, "cache_ignored_headers": [1])"), HasSubstr("array of strings"));
}

TEST(SendRequest, RefusesARequestWhoseTextIsFarLargerThanItsMemory) {
  rego::Arena arena;
  auto body = rego::Value::string("x");
  for (int i = 0; i < 60; ++i) {
    rego::ArrayBuilder twice{arena, 2};
    twice.add(body);
    twice.add(body);
    body = twice.finish();
  }
  rego::ObjectBuilder object{arena, 3};
  object.add("method", rego::Value::string("post"));
  object.add("url", rego::Value::string("https://a.test/"));
  object.add("body", body);

  auto const came = read_send_request(object.finish());

  ASSERT_FALSE(came);
  EXPECT_EQ(came.error().message, "the request is larger than 1 MiB");
}

TEST(SendAnswer, HasStatusBodyAndHeaders) {
  EXPECT_EQ(answered({.status = 404,
                      .headers = {{"Content-Type", "application/problem+json; charset=utf-8"},
                                  {"X-A", "1"},
                                  {"x-a", "2"}},
                      .body = R"({"a": 1})"}),
            R"({"body":{"a":1},"headers":{"content-type":["application/problem+json; )"
            R"(charset=utf-8"],"x-a":["1","2"]},"raw_body":"{\"a\": 1}","status":"404 Not Found",)"
            R"("status_code":404})");
}

TEST(SendAnswer, DecodesByTypeOrByForce) {
  auto const body_of = [](std::string type, Decode decode, std::string body) {
    http::Response const response{.headers = {{"content-type", std::move(type)}},
                                  .body = std::move(body)};
    rego::Arena arena;
    return rego::to_json(rego::get(answer_value(response, decode, arena), "body"));
  };
  EXPECT_EQ(body_of("text/plain", Decode::ByType, "[1]"), "null");
  EXPECT_EQ(body_of("text/plain", Decode::Json, "[1]"), "[1]");
  EXPECT_EQ(body_of("application/json", Decode::ByType, "[1"), "null");
  EXPECT_EQ(body_of("application/yaml", Decode::ByType, "a: 1"), R"({"a":1})");
  EXPECT_EQ(body_of("text/plain", Decode::Yaml, "a: 1"), R"({"a":1})");
  EXPECT_EQ(body_of("application/jsonp", Decode::ByType, "[1]"), "null");
}

TEST(SendAnswer, ReplacesBytesThatAreNoText) {
  EXPECT_THAT(answered({.headers = {},
                        .body = "a\xFF"
                                "b"}),
              HasSubstr("\"raw_body\":\"a\uFFFDb\""));
}

}  // namespace
}  // namespace sallyport::policy
