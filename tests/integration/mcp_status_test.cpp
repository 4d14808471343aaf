// Which HTTP status and JSON-RPC code each kind of request gets: the status table of the protocol.
#include "tests/integration/mcp_service_fixture.hpp"

namespace sallyport::test {
namespace {

using testing::HasSubstr;

class McpStatusTest : public McpServiceTest {
 protected:
  void SetUp() override {
    settings_.limits.http.body_bytes = 64 * 1024;
    serve();
  }

  struct Case {
    std::string what;
    std::string request;
    int status;
    int code;  // of JSON-RPC; 0: no error object
  };

  void check(std::vector<Case> const& cases) {
    for (auto const& each : cases) {
      auto const response = ask(each.request);

      EXPECT_EQ(response.status, each.status) << each.what << ": " << response.body;
      EXPECT_EQ(code_of(response.body), each.code) << each.what << ": " << response.body;
      EXPECT_TRUE(response.whole) << each.what;
      EXPECT_EQ(response.body.find('\n'), std::string::npos) << each.what;
      if (response.body.empty()) continue;
      EXPECT_EQ(header(response, "Content-Type"), "application/json") << each.what;
      EXPECT_FALSE(parsed(response.body).empty()) << each.what;
    }
  }
};

std::string const kInitialized = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

TEST_F(McpStatusTest, OfRequestsFromElsewhereIs403) {
  auto const list = Modern{.method = "tools/list"};
  auto const with = [&](std::string name, std::string value) {
    auto changed = list;
    changed.fields = {{std::move(name), std::move(value)}};
    return changed.http();
  };
  check({
      {"evil Host", with("Host", "evil.example.com"), 403, 0},
      {"evil Origin", with("Origin", "http://evil.example.com"), 403, 0},
      {"null Origin", with("Origin", "null"), 403, 0},
      {"evil Host on /sse", http_request("GET", "/sse", {{"Host", "evil.example.com"}}), 403, 0},
      {"evil Origin on /metrics",
       http_request("GET", "/metrics", {{"Origin", "http://evil.example.com"}}), 403, 0},
      {"own Host", with("Host", "127.0.0.1:" + std::to_string(port_)), 200, 0},
      {"own Origin", with("Origin", "http://127.0.0.1"), 200, 0},
  });
}

TEST_F(McpStatusTest, OfBrokenMessagesIs400) {
  auto const modern = Fields{{"MCP-Protocol-Version", "2026-07-28"}};
  auto const claiming = Modern{.method = "tools/list"}.body();
  check({
      {"cut off", post("{"), 400, -32700},
      {"empty", post(""), 400, -32700},
      {"two values", post("{} {}"), 400, -32700},
      {"bad UTF-8", post("\"\xff\""), 400, -32700},
      {"too deep", post(std::string(200, '[') + std::string(200, ']')), 400, -32700},
      {"cut off, modern", post("{", modern), 400, -32700},
      {"a number", post("1"), 400, -32600},
      {"an empty object", post("{}"), 400, -32600},
      {"JSON-RPC 1.0", post(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"), 400, -32600},
      {"null id", post(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), 400, -32600},
      {"fractional id", post(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})"), 400, -32600},
      {"method of a wrong type", post(R"({"jsonrpc":"2.0","id":1,"method":1})"), 400, -32600},
      {"empty batch", post("[]"), 400, -32600},
      {"batch with a modern element", post("[" + claiming + "]"), 400, -32600},
      {"batch with a modern header", post("[" + kInitialized + "]", modern), 400, -32600},
  });
}

TEST_F(McpStatusTest, LeavesOutAnUnreadableIdInTheModernEraAndSendsNullInTheLegacyOne) {
  auto const modern = ask(post("{", {{"MCP-Protocol-Version", "2026-07-28"}}));
  auto const legacy = ask(post("{"));

  EXPECT_FALSE(parsed(modern.body).contains("id")) << modern.body;
  EXPECT_TRUE(parsed(legacy.body).at("id").is_null()) << legacy.body;
}

TEST_F(McpStatusTest, OfModernRequestsWithABadEnvelopeIs400) {
  auto const header = Fields{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/list"}};
  auto const version = [](std::string number) {
    return Modern{.method = "tools/list", .version = std::move(number)}.http();
  };
  auto const meta = [&](std::string const& inside) {
    return post(legacy("1", "tools/list", R"({"_meta":{)" + inside + "}}"), header);
  };
  std::string const claim = R"("io.modelcontextprotocol/protocolVersion":)";
  std::string const able = R"("io.modelcontextprotocol/clientCapabilities":)";
  check({
      {"no _meta", post(legacy("1", "tools/list"), header), 400, -32602},
      {"no capabilities", meta(claim + R"("2026-07-28")"), 400, -32602},
      {"no version", meta(able + "{}"), 400, -32602},
      {"version of a wrong type", meta(claim + "1," + able + "{}"), 400, -32602},
      {"capabilities of a wrong type", meta(claim + R"("2026-07-28",)" + able + "1"), 400, -32602},
      {"a later version", version("2027-01-01"), 400, -32022},
      {"no version at all", version("v999.0.0"), 400, -32022},
      {"a legacy version", version("2025-11-25"), 400, -32022},
      {"undeclared capability", modern_call("test_missing_capability").http(), 400, -32021},
      {"initialize under a modern header",
       post(initialize("2025-11-25"), {{"MCP-Protocol-Version", "2026-07-28"}}), 400, -32020},
  });
}

TEST_F(McpStatusTest, NamesTheVersionsThatItHas) {
  auto const response = ask(Modern{.method = "tools/list", .version = "2027-01-01"}.http());

  auto const data = parsed(response.body).at("error").at("data").as_object();
  EXPECT_EQ(data.at("requested"), "2027-01-01");
  EXPECT_EQ(data.at("supported").as_array().at(0), "2026-07-28");
}

TEST_F(McpStatusTest, OfHeadersThatDifferFromTheBodyIs400) {
  auto const with = [](Modern request, std::string name, std::string value) {
    request.fields.emplace_back(std::move(name), std::move(value));
    return request.http();
  };
  auto const call = modern_call("echo", R"({"text":"x"})");
  auto const mirrored = modern_call("test_x_mcp_header", R"({"region":"eu"})");
  check({
      {"other version", with(call, "MCP-Protocol-Version", "2025-11-25"), 400, -32020},
      {"no version", with(call, "MCP-Protocol-Version", ""), 400, -32020},
      {"other method", with(call, "Mcp-Method", "tools/list"), 400, -32020},
      {"method in other case", with(call, "Mcp-Method", "Tools/call"), 400, -32020},
      {"no method", with(call, "Mcp-Method", ""), 400, -32020},
      {"other name", with(call, "Mcp-Name", "slow"), 400, -32020},
      {"no name", with(call, "Mcp-Name", ""), 400, -32020},
      {"bad base64", with(call, "Mcp-Name", "=?base64?ZWNob?="), 400, -32020},
      {"base64 of another", with(call, "Mcp-Name", "=?base64?c2xvdw==?="), 400, -32020},
      {"base64", with(call, "Mcp-Name", "=?base64?ZWNobw==?="), 200, 0},
      {"spaces around", with(call, "Mcp-Name", "  echo  "), 200, 0},
      {"no mirrored argument", mirrored.http(), 400, -32020},
      {"other mirrored argument", with(mirrored, "Mcp-Param-Region", "us"), 400, -32020},
      {"mirrored argument", with(mirrored, "mcp-param-region", "eu"), 200, 0},
      {"unknown mirrored argument", with(call, "Mcp-Param-Other", "x"), 200, 0},
  });
}

TEST_F(McpStatusTest, OfUnknownMethodsIs404InTheModernEraOnly) {
  auto const session = open_session("2025-11-25");
  check({
      {"unknown", Modern{.method = "nonsense/x"}.http(), 404, -32601},
      {"removed", Modern{.method = "ping"}.http(), 404, -32601},
      {"removed with a body", Modern{.method = "logging/setLevel"}.http(), 404, -32601},
      {"initialize with an envelope", Modern{.method = "initialize"}.http(), 404, -32601},
      {"legacy unknown", post(legacy("1", "nonsense/x"), session), 200, -32601},
      {"legacy, but modern only", post(legacy("1", "subscriptions/listen"), session), 200, -32601},
  });
}

TEST_F(McpStatusTest, OfFailuresOfARequestIs200) {
  auto const session = open_session("2025-11-25");
  auto const read = Modern{.method = "resources/read",
                           .params = R"("uri":"test://no-such-thing")",
                           .name = "test://no-such-thing"};
  auto const cursor = Modern{.method = "tools/list", .params = R"("cursor":"nonsense")"};
  check({
      {"unknown tool", modern_call("no_such_tool").http(), 200, -32602},
      {"unknown tool, legacy", post(legacy_call("1", "no_such_tool"), session), 200, -32602},
      {"missing resource", read.http(), 200, -32602},
      {"missing resource, legacy",
       post(legacy("1", "resources/read", R"({"uri":"test://no-such-thing"})"), session), 200,
       -32002},
      {"bad cursor", cursor.http(), 200, -32602},
      {"bad argument", modern_call("echo", R"({"text":1})").http(), 200, 0},
      {"failing tool", modern_call("test_error_handling").http(), 200, 0},
  });
  for (auto const& request :
       {modern_call("echo", R"({"text":1})"), modern_call("test_error_handling")}) {
    EXPECT_THAT(ask(request.http()).body, HasSubstr(R"("isError":true)"));
  }
}

TEST_F(McpStatusTest, OfSessionsIs400WithoutAnd404WithAnUnknownOne) {
  auto const list = legacy("1", "tools/list");
  auto const unknown = Fields{{"Mcp-Session-Id", "nonsense"}};
  auto const session = open_session("2025-11-25");
  auto const bad_version = Fields{session[0], {"MCP-Protocol-Version", "1900-01-01"}};
  check({
      {"POST without", post(list), 400, -32600},
      {"notification without", post(kInitialized), 400, -32600},
      {"batch without", post("[" + kInitialized + "]"), 400, -32600},
      {"GET without", http_request("GET", "/mcp", {}), 400, -32600},
      {"DELETE without", http_request("DELETE", "/mcp", {}), 400, -32600},
      {"POST unknown", post(list, unknown), 404, -32600},
      {"GET unknown", http_request("GET", "/mcp", unknown), 404, -32600},
      {"DELETE unknown", http_request("DELETE", "/mcp", unknown), 404, -32600},
      {"bad version header", post(list, bad_version), 400, -32600},
      {"POST known", post(list, session), 200, 0},
      {"DELETE", http_request("DELETE", "/mcp", session), 204, 0},
      {"POST deleted", post(list, session), 404, -32600},
      {"GET deleted", http_request("GET", "/mcp", session), 404, -32600},
      {"DELETE deleted", http_request("DELETE", "/mcp", session), 404, -32600},
  });
}

TEST_F(McpStatusTest, IgnoresASessionOnAModernRequest) {
  auto list = Modern{.method = "tools/list"};
  list.fields = {{"Mcp-Session-Id", "nonsense"}, {"Last-Event-ID", "0-a-1"}};

  auto const response = ask(list.http());

  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(header(response, "Mcp-Session-Id"), "");
}

TEST_F(McpStatusTest, OfNotificationsAndRepliesIs202WithoutABody) {
  auto const session = open_session("2025-11-25");
  auto const claiming = R"({"jsonrpc":"2.0","method":"notifications/x","params":{"_meta":)"
                        R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})";
  for (auto const& request :
       {post(kInitialized, session), post(kInitialized, {{"MCP-Protocol-Version", "2026-07-28"}}),
        post(claiming), post(R"({"jsonrpc":"2.0","id":"0-1","result":{}})", session),
        post(R"({"jsonrpc":"2.0","id":"9-9","error":{"code":1,"message":"x"}})", session)}) {
    auto const response = ask(request);

    EXPECT_EQ(response.status, 202) << request;
    EXPECT_EQ(response.body, "");
    EXPECT_EQ(header(response, "Content-Type"), "");
  }
}

TEST_F(McpStatusTest, OfTheHttpLayer) {
  auto const list = Modern{.method = "tools/list"};
  auto const with = [&](std::string name, std::string value) {
    auto changed = list;
    changed.fields = {{std::move(name), std::move(value)}};
    return changed.http();
  };
  auto const session = open_session("2025-11-25");
  check({
      {"no Content-Type", with("Content-Type", ""), 415, 0},
      {"text", with("Content-Type", "text/plain"), 415, 0},
      {"form", with("Content-Type", "application/x-www-form-urlencoded"), 415, 0},
      {"charset", with("Content-Type", "application/json; charset=utf-8"), 200, 0},
      {"no Accept", with("Accept", ""), 200, 0},
      {"HTML", with("Accept", "text/html"), 406, 0},
      {"GET of JSON",
       http_request("GET", "/mcp", this->with(session, "Accept", "application/json")), 406, 0},
      {"no such path", http_request("GET", "/nothing", {}), 404, 0},
      {"alive", http_request("GET", "/healthz", {}), 200, 0},
      {"ready", http_request("GET", "/readyz", {}), 200, 0},
  });
  EXPECT_EQ(ask(post(std::string(65 * 1024, ' '))).status, 413);
  EXPECT_EQ(ask(http_request("GET", "/mcp", {{"X", std::string(17 * 1024, 'x')}})).status, 431);
  for (auto const* method : {"PUT", "PATCH", "HEAD"}) {
    RawClient client{port_};
    client.send(http_request(method, "/mcp", {}));
    auto const response = client.receive(method != std::string_view{"HEAD"});
    EXPECT_EQ(response.status, 405) << method;
    EXPECT_TRUE(response.has("Allow: GET, POST, DELETE")) << response.head;
  }
  EXPECT_TRUE(ask(http_request("POST", "/sse", {})).has("Allow: GET"));
  EXPECT_TRUE(ask(http_request("GET", "/messages", {})).has("Allow: POST"));
}

TEST_F(McpStatusTest, OfAPreflightTellsWhatAnAllowedPageMaySend) {
  Fields const fields{{"Origin", "http://127.0.0.1"},
                      {"Access-Control-Request-Headers", "mcp-method, mcp-name"}};

  auto const response = ask(http_request("OPTIONS", "/mcp", fields));

  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(header(response, "Access-Control-Allow-Headers"), "mcp-method, mcp-name");
  EXPECT_EQ(header(response, "Access-Control-Allow-Origin"), "http://127.0.0.1");
}

TEST_F(McpStatusTest, AnswersInitializeWithALegacyRevisionAlways) {
  for (auto const& [asked, given] : std::vector<std::pair<std::string, std::string>>{
           {"2024-11-05", "2024-11-05"},
           {"2025-03-26", "2025-03-26"},
           {"2025-06-18", "2025-06-18"},
           {"2025-11-25", "2025-11-25"},
           {"2026-07-28", "2025-11-25"},
           {"1900-01-01", "2025-11-25"},
       }) {
    auto const response = ask(post(initialize(asked)));

    EXPECT_EQ(response.status, 200);
    EXPECT_THAT(response.body, HasSubstr(R"("protocolVersion":")" + given + '"'));
    EXPECT_NE(header(response, "Mcp-Session-Id"), "");
  }
}

TEST_F(McpStatusTest, GivesEachRequestAnIdAndPassesTheTraceOn) {
  std::string const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  auto traced = modern_call("trace");
  traced.fields = {{"traceparent", parent}};
  auto in_message = modern_call("trace");
  in_message.meta = R"("traceparent":")" + parent + '"';
  auto broken = modern_call("trace");
  broken.fields = {{"traceparent", "nonsense"}};

  EXPECT_THAT(ask(traced.http()).body, HasSubstr(parent));
  EXPECT_THAT(ask(in_message.http()).body, HasSubstr(parent));
  EXPECT_THAT(ask(broken.http()).body, HasSubstr(R"("text":"")"));
  auto const id = [&] {
    auto const body = ask(modern_call("whoami").http()).body;
    return std::string{
        json::view(parsed(body).at("result").at("structuredContent").at("requestId").as_string())};
  };
  auto const first = id();
  EXPECT_FALSE(first.empty());
  EXPECT_NE(first, id());
}

}  // namespace
}  // namespace sallyport::test
