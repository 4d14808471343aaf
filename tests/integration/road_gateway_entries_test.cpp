// Resources, prompts and completions of other MCP servers behind the built program: judged and
// recorded as their tools are.
#include "tests/support/gateway_road.hpp"

#include <gmock/gmock.h>

namespace sallyport::test {
namespace {

using testing::HasSubstr;
using testing::Not;

Modern read_of(std::string const& uri) {
  return {.method = "resources/read", .params = R"("uri":")" + uri + '"', .name = uri};
}

Modern prompt_of(std::string const& name, std::string const& topic) {
  return {.method = "prompts/get",
          .params = R"("name":")" + name + R"(","arguments":{"topic":")" + topic + R"("})",
          .name = name};
}

Modern completion_of(std::string const& reference, std::string const& argument) {
  return {.method = "completion/complete",
          .params = R"("ref":)" + reference + R"(,"argument":{"name":")" + argument +
                    R"(","value":"t"})"};
}

class RoadGatewayEntries : public GatewayRoadTest {
 protected:
  RoadGatewayEntries() {
    server_.answer("server/discover",
                   R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":)"
                   R"({"tools":{},"resources":{},"prompts":{},"completions":{}},)"
                   R"("ttlMs":0,"cacheScope":"private","_meta":{}})");
    server_.answer("resources/list",
                   page(R"("resources":[{"uri":"file:///notes/1","name":"one"}])"));
    server_.answer("resources/templates/list",
                   page(R"("resourceTemplates":[{"uriTemplate":"file:///notes/{n}","name":"n"},)"
                        R"({"uriTemplate":"secret://{n}","name":"s"}])"));
    server_.answer("prompts/list", page(R"("prompts":[{"name":"summary","arguments":)"
                                        R"([{"name":"topic"}]},{"name":"hidden"}])"));
    server_.answer("resources/read",
                   page(R"("contents":[{"uri":"file:///notes/1","text":"the note"}])"));
    server_.answer("prompts/get",
                   R"({"resultType":"complete","messages":[{"role":"user","content":)"
                   R"({"type":"text","text":"the prompt"}}]})");
    server_.answer("completion/complete",
                   R"({"resultType":"complete","completion":{"values":["tea"]}})");
  }

  static std::string page(std::string const& members) {
    return R"({"resultType":"complete","ttlMs":1000,"cacheScope":"private",)" + members + "}";
  }

  GatewayOptions under(std::string const& policy) const {
    auto const url = "file://" + folder_.write("tools.rego", "package mcp.tools\n" + policy);
    return in_front_of(entry("files", server_), {},
                       "policies:\n  mcp_tools:\n    policies:\n    - url: " + url + "\n");
  }

  SmallMcpServer server_;
};

TEST_F(RoadGatewayEntries, ReadsResourcesThatThePolicyAllows) {
  Gateway const gateway{under(R"(allow if {
  input.operation == "mcp_read_resource"
  input.server == "files"
  startswith(input.uri, "file:///notes/")
}
reason := "only notes" if not allow
)")};

  auto const allowed = gateway.call(read_of("mcp://files/file:///notes/1"));
  auto const denied = gateway.call(read_of("mcp://files/file:///etc/shadow?key=hush"));

  EXPECT_THAT(allowed.whole, HasSubstr("the note"));
  EXPECT_THAT(denied.whole, HasSubstr("only notes"));
  EXPECT_EQ(server_.count("resources/read"), 1U);
  auto const records = gateway.records("gateway");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].text("verdict"), "allowed");
  EXPECT_EQ(records[0].text("server"), "files");
  EXPECT_EQ(records[0].text("tool"), "resources/read");
  EXPECT_EQ(records[0].hop(0, "method"), "resources/read");
  EXPECT_EQ(records[0].hop(0, "url"), "mcp://files/file:///notes/1");
  EXPECT_EQ(records[1].text("verdict"), "denied");
  EXPECT_THAT(records[1].all(), HasSubstr("file:///etc/shadow?key=***"));
  EXPECT_THAT(gateway.written(), Not(HasSubstr("hush")));
}

TEST_F(RoadGatewayEntries, GetsPromptsThatThePolicyAllows) {
  Gateway const gateway{under(R"(allow if {
  input.operation == "mcp_get_prompt"
  input.prompt == "summary"
  input.arguments.topic == "tea"
}
)")};

  auto const allowed = gateway.call(prompt_of("mcp_files_summary", "tea"));
  auto const by_argument = gateway.call(prompt_of("mcp_files_summary", "secrets"));
  auto const by_name = gateway.call(prompt_of("mcp_files_hidden", "tea"));

  EXPECT_THAT(allowed.whole, HasSubstr("the prompt"));
  EXPECT_THAT(by_argument.whole, HasSubstr("Policy does not allow the prompt summary of files"));
  EXPECT_THAT(by_name.whole, HasSubstr("Policy does not allow the prompt hidden of files"));
  EXPECT_EQ(server_.count("prompts/get"), 1U);
  auto const records = gateway.records("gateway");
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].hop(0, "url"), "mcp://files/summary");
  EXPECT_EQ(records[1].text("verdict"), "denied");
}

// A policy from before there was anything but tools: what it does not know, it does not allow.
TEST_F(RoadGatewayEntries, GivesNothingByAPolicyThatAllowsToolsAlone) {
  Gateway const gateway{under("default allow := false\nallow if input.tool == \"echo\"\n")};

  EXPECT_EQ(gateway.call(modern_call("mcp_files_echo")).text, "called");
  gateway.call(read_of("mcp://files/file:///notes/1"));
  gateway.call(prompt_of("mcp_files_summary", "tea"));

  EXPECT_EQ(server_.count("resources/read") + server_.count("prompts/get"), 0U);
}

TEST_F(RoadGatewayEntries, RecordsWhatNoPolicyJudges) {
  Gateway const gateway{in_front_of(entry("files", server_))};

  gateway.call(read_of("mcp://files/file:///notes/1"));
  gateway.call(prompt_of("mcp_files_summary", "tea"));

  auto const records = gateway.records("gateway");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].hop(0, "method"), "resources/read");
  EXPECT_EQ(records[1].hop(0, "method"), "prompts/get");
}

TEST_F(RoadGatewayEntries, CompletesOnlyWhatMayBeHad) {
  Gateway const gateway{under(R"(allow if input.prompt == "summary"
allow if startswith(input.uri, "file:///notes/")
)")};
  auto const complete = [&](std::string const& reference, std::string const& argument) {
    return gateway.call(completion_of(reference, argument)).whole;
  };

  EXPECT_THAT(complete(R"({"type":"ref/prompt","name":"mcp_files_summary"})", "topic"),
              HasSubstr("tea"));
  EXPECT_THAT(complete(R"({"type":"ref/resource","uri":"mcp://files/file:///notes/{n}"})", "n"),
              HasSubstr("tea"));
  EXPECT_THAT(complete(R"({"type":"ref/prompt","name":"mcp_files_hidden"})", "topic"),
              HasSubstr("Policy does not allow"));
  EXPECT_THAT(complete(R"({"type":"ref/resource","uri":"mcp://files/secret://{n}"})", "n"),
              HasSubstr("Policy does not allow"));
  EXPECT_EQ(server_.count("completion/complete"), 2U);
  EXPECT_EQ(gateway.records("completion").size(), 2U);
}

TEST_F(RoadGatewayEntries, RefusesAPageOfAnotherServerOnRecord) {
  Gateway const gateway{in_front_of(entry("files", server_))};
  auto const from_elsewhere = [&](Modern message) {
    message.meta = R"("sallyport/caller":"app","sallyport/page":"ui://other/page.html")";
    return gateway.call(message).whole;
  };

  EXPECT_THAT(from_elsewhere(modern_call("mcp_files_echo")), HasSubstr("a page of another server"));
  EXPECT_THAT(from_elsewhere(read_of("mcp://files/file:///notes/1")),
              HasSubstr("a page of another server"));

  EXPECT_EQ(server_.count("tools/call") + server_.count("resources/read"), 0U);
  auto const records = gateway.records("gateway");
  ASSERT_EQ(records.size(), 2U);
  for (auto const& record : records) EXPECT_EQ(record.text("verdict"), "denied");
}

TEST_F(RoadGatewayEntries, LetsAPageAskWhereUrisAreThoseOfItsServer) {
  Gateway const gateway{in_front_of(entry("files", server_), "  server_names: original\n")};
  auto message = modern_call("echo");
  message.meta = R"("sallyport/caller":"app","sallyport/page":"ui://page/x.html")";
  auto text = message.http();
  text.replace(0, std::string_view{"POST /mcp "}.size(), "POST /mcp/files ");
  RawClient client{gateway.port()};

  client.send(text);

  EXPECT_EQ(Reply::read(client.receive()).text, "called");
}

TEST_F(RoadGatewayEntries, CountsNoFailureWhereTheUserIsAsked) {
  Gateway const gateway{in_front_of(entry("files", server_))};
  server_.answer("tools/call", R"({"resultType":"input_required","requestState":"s",)"
                               R"("inputRequests":{"q":{"method":"roots/list","params":{}}}})");
  auto asked = modern_call("mcp_files_echo");
  asked.capabilities = R"({"roots":{}})";
  EXPECT_THAT(gateway.call(asked).whole, HasSubstr("input_required"));

  auto const says = [&](std::string const& line) {
    return gateway.metrics().find("sallyport_upstream_" + line) != std::string::npos;
  };
  EXPECT_TRUE(says(R"(calls_total{server="files"} 1)")) << gateway.metrics();
  EXPECT_TRUE(says(R"(failures_total{server="files"} 0)")) << gateway.metrics();
}

TEST_F(RoadGatewayEntries, LetsAResourceBeKeptAsLongAsItsServerSays) {
  Gateway const gateway{in_front_of(entry("files", server_))};

  auto const read = gateway.call(read_of("mcp://files/file:///notes/1"));

  EXPECT_EQ(read.result.at("ttlMs").to_number<int>(), 1000);
}

TEST_F(RoadGatewayEntries, GivesAServerTheTimeThatItsOwnSettingsGiveIt) {
  Gateway const gateway{in_front_of(entry("files", server_), {}, "limits: {call_timeout: 1s}\n")};
  server_.answer_with([](std::string const& request) {
    bool const called = request.find("tools/call") != std::string::npos;
    if (called) std::this_thread::sleep_for(std::chrono::seconds{4});
    return std::string{};  // as ever
  });

  EXPECT_EQ(gateway.call(modern_call("mcp_files_echo")).text, "called");
}

}  // namespace
}  // namespace sallyport::test
