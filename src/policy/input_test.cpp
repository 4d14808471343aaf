#include "src/policy/input.hpp"

#include "src/policy/test_query.hpp"
#include "src/rego/json.hpp"

#include <gtest/gtest.h>

namespace sallyport::policy {
namespace {

std::string input_of(test::TestQuery const& query, Secrets secrets = Secrets::Shown) {
  rego::Arena arena;
  return rego::to_json(make_input(query.get(), secrets, arena));
}

TEST(PolicyInput, HasTheCallWithItsUrlTakenApartAndWhoAsks) {
  EXPECT_EQ(input_of({}),
            R"({"client":"client/1",)"
            R"("headers":{"accept":"text/html, */*","authorization":"Bearer hush"},"hop":1,)"
            R"("injection":{"failed":false,"headers":["authorization"]},"method":"GET",)"
            R"("operation":"fetch","principal":{"id":"ada","issuer":"https://id.example",)"
            R"("scopes":["read"]},"purpose":"fetch","server":"","session":"","tool":"fetch",)"
            R"("url":"https://api.example:8443/v1/items?limit=2","url_parsed":{)"
            R"("host":"api.example","path":"/v1/items","port":8443,"query":"limit=2",)"
            R"("scheme":"https"}})");
}

TEST(PolicyInput, HasTheCallOfAToolWithItsArguments) {
  test::TestQuery const about;
  json::Object const arguments{{"n", 1.5}, {"list", json::Array{"a", nullptr}}};
  McpQuery const query{.purpose = "run_js",
                       .server = "sallyport",
                       .name = "fetch",
                       .arguments = &arguments,
                       .request = about.request};
  rego::Arena arena;

  EXPECT_EQ(rego::to_json(make_input(query, Secrets::Redacted, arena)),
            R"({"arguments":{"list":["a",null],"n":1.5},"client":"client/1",)"
            R"("operation":"mcp_call_tool","principal":{"id":"ada","issuer":"https://id.example",)"
            R"("scopes":["read"]},"purpose":"run_js","server":"sallyport","session":"",)"
            R"("tool":"fetch"})");
}

TEST(PolicyInput, HasTheResourceThatIsReadByTheUriOfItsServer) {
  test::TestQuery const about;
  McpQuery const query{.operation = McpOperation::ReadResource,
                       .purpose = "gateway",
                       .server = "files",
                       .name = "file:///notes/1",
                       .request = about.request};
  rego::Arena arena;

  EXPECT_EQ(rego::to_json(make_input(query, Secrets::Redacted, arena)),
            R"({"client":"client/1","operation":"mcp_read_resource",)"
            R"("principal":{"id":"ada","issuer":"https://id.example","scopes":["read"]},)"
            R"("purpose":"gateway","server":"files","session":"","uri":"file:///notes/1"})");
}

TEST(PolicyInput, HasThePromptThatIsAskedForWithItsArguments) {
  test::TestQuery const about;
  json::Object const arguments{{"topic", "tea"}};
  McpQuery const query{.operation = McpOperation::GetPrompt,
                       .purpose = "gateway",
                       .server = "files",
                       .name = "summary",
                       .arguments = &arguments,
                       .request = about.request};
  rego::Arena arena;

  EXPECT_EQ(rego::to_json(make_input(query, Secrets::Redacted, arena)),
            R"({"arguments":{"topic":"tea"},"client":"client/1","operation":"mcp_get_prompt",)"
            R"("principal":{"id":"ada","issuer":"https://id.example","scopes":["read"]},)"
            R"("prompt":"summary","purpose":"gateway","server":"files","session":""})");
}

TEST(PolicyInput, HasNoPortAndAnEmptyQueryWhereTheUrlHasNone) {
  auto const text = input_of({.url = *url::Url::parse("https://a.example:443/")});

  EXPECT_NE(text.find(R"("path":"/","port":null,"query":"","scheme":"https")"), std::string::npos);
}

TEST(PolicyInput, CallsEveryHttpRequestAFetch) {
  EXPECT_NE(input_of({.operation = "http_request"}).find(R"("operation":"fetch")"),
            std::string::npos);
  EXPECT_NE(input_of({.operation = "websocket"}).find(R"("operation":"websocket")"),
            std::string::npos);
}

// Many servers take "delete" for DELETE: a policy that forbids the one must not miss the other.
TEST(PolicyInput, HasTheMethodInUpperCase) {
  for (auto const* const method : {"DELETE", "delete", "Delete"}) {
    EXPECT_NE(input_of({.method = method}).find(R"("method":"DELETE")"), std::string::npos)
        << method;
  }
  EXPECT_NE(input_of({.method = "m-search"}).find(R"("method":"M-SEARCH")"), std::string::npos);
}

TEST(PolicyInput, SaysWhetherACredentialIsMissing) {
  auto const text = input_of({.headers = {}, .injected = {}, .injection_failed = true});

  EXPECT_NE(text.find(R"("headers":{})"), std::string::npos);
  EXPECT_NE(text.find(R"("injection":{"failed":true,"headers":[]})"), std::string::npos);
}

TEST(PolicyInput, ShowsHeaderValuesThatAreBytesAsText) {
  auto const text = input_of({.headers = {{"X-A", "caf\xE9"}, {"X-B", "caf\xC3\xA9"}}});

  EXPECT_NE(text.find("\"x-a\":\"caf\xC3\xA9\",\"x-b\":\"caf\xC3\xA9\""), std::string::npos)
      << text;
}

TEST(PolicyInput, ShowsNoSecretToOthers) {
  test::TestQuery const query{
      .headers = {{"X-Key", "hush"}, {"Cookie", "sid=hush"}, {"Accept", "*/*"}},
      .injected = {"x-key"}};

  auto const text = input_of(query, Secrets::Redacted);

  EXPECT_EQ(text.find("hush"), std::string::npos);
  EXPECT_NE(text.find(R"("headers":{"accept":"*/*","cookie":"[redacted]","x-key":"[redacted]"})"),
            std::string::npos);
}

}  // namespace
}  // namespace sallyport::policy
