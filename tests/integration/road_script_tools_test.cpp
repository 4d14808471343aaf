// Scripts that call tools (`mcp.callTool`), under the policy for `mcp_tools`.
#include "tests/support/request_log.hpp"
#include "tests/support/script_road.hpp"

#include <gmock/gmock.h>

namespace sallyport::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class RoadScriptTools : public ScriptRoadTest {
 protected:
  GatewayOptions with_tools() const {
    auto const url = "file://" + folder_.write("tools.rego", R"(package mcp.tools
allow if {
  input.operation == "mcp_call_tool"
  input.server == "sallyport"
  input.tool in {"whoami", "fetch"}
  not endswith(object.get(input.arguments, "url", ""), "/closed")
}
reason := sprintf("%s is not for scripts", [input.tool]) if not allow
)");
    return {.egress = open({place(origin_)}),
            .more = "policies:\n  mcp_tools:\n    policies:\n    - url: " + url + "\n"};
  }

  RequestLog log_;
  Origin origin_{log_.answering([](std::string const&) { return Origin::ok("the page"); })};
};

TEST_F(RoadScriptTools, AreOffWithoutAPolicy) {
  Gateway const gateway;

  auto const reply = run(gateway, "await mcp.callTool('sallyport', 'whoami', {})");

  EXPECT_TRUE(reply.is_error);
  EXPECT_THAT(reply.text, HasSubstr("policies.mcp_tools"));
}

TEST_F(RoadScriptTools, GiveWhatAClientWouldGet) {
  Gateway const gateway{with_tools()};

  auto const reply = run(gateway, "const r = await mcp.callTool('sallyport', 'fetch', {url: '" +
                                      origin_.url("/open") +
                                      "'});\n[r.isError, r.content[0].text, "
                                      "r.structuredContent.status]");

  EXPECT_THAT(value_of(reply), HasSubstr("the page"));
  EXPECT_THAT(value_of(reply), HasSubstr(",200]"));
}

TEST_F(RoadScriptTools, AreJudgedByServerToolAndArguments) {
  Gateway gateway{with_tools()};
  auto const attempt = [&](std::string const& tool, std::string const& arguments) {
    return value_of(run(gateway, "try { await mcp.callTool('sallyport', '" + tool + "', " +
                                     arguments +
                                     "); 'called' } catch (e) { e.cause?.message ?? String(e) }"));
  };

  EXPECT_EQ(attempt("whoami", "{}"), R"("called")");
  EXPECT_THAT(
      attempt("fetch", "{url: '" + origin_.url("/closed") + "'}"),
      HasSubstr("Policy does not allow the tool fetch of sallyport: fetch is not for scripts"));
  EXPECT_THAT(attempt("list_executions", "{}"), HasSubstr("list_executions is not for scripts"));
  EXPECT_TRUE(log_.all().empty()) << "nothing that was denied may be sent";
}

TEST_F(RoadScriptTools, AreOnRecordWithTheScriptThatCalledThem) {
  Gateway gateway{with_tools()};

  run(gateway, "await mcp.callTool('sallyport', 'fetch', {url: '" + origin_.url("/open") +
                   "'});\nawait mcp.callTool('sallyport', 'list_executions', {}).catch(() => 0)");

  auto const records = gateway.records();
  ASSERT_GE(records.size(), 3U) << "two calls of tools, and what the first one sent";
  auto const execution = records[0].text("execution");
  EXPECT_FALSE(execution.empty());
  for (auto const& record : records) {
    if (record.text("purpose") != "robots") EXPECT_EQ(record.text("execution"), execution);
  }
  EXPECT_EQ(records.front().text("tool"), "fetch");
  EXPECT_EQ(records.front().text("verdict"), "allowed");
  EXPECT_EQ(records.back().text("tool"), "list_executions");
  EXPECT_EQ(records.back().text("verdict"), "denied");
}

TEST_F(RoadScriptTools, ThatAreNotThereOrNotForScriptsAreNamed) {
  Gateway const gateway{with_tools()};
  auto const error_of = [&](std::string const& call) {
    return run(gateway, "await mcp.callTool(" + call + ")").text;
  };

  EXPECT_THAT(error_of("'elsewhere', 'fetch', {}"), HasSubstr("no server \"elsewhere\""));
  EXPECT_THAT(error_of("'sallyport', 'fetsh', {}"), HasSubstr("no tool \"fetsh\""));
  EXPECT_THAT(error_of("'sallyport', 'run_js', {code: '1'}"), HasSubstr("no tool \"run_js\""));
}

TEST_F(RoadScriptTools, TellWhatIsWrongWithTheirArguments) {
  Gateway const gateway{with_tools()};

  auto const reply = run(gateway, "await mcp.callTool('sallyport', 'fetch', {url: 1})");

  EXPECT_THAT(value_of(reply), HasSubstr(R"("isError":true)"));
  EXPECT_THAT(value_of(reply), HasSubstr("Invalid arguments"));
}

TEST_F(RoadScriptTools, AreListedWithTheirSchemas) {
  Gateway const gateway{with_tools()};

  auto const reply = run(gateway,
                         "(await mcp.listTools()).map(t => [t.server, t.name, "
                         "t.inputSchema.type, t.description !== ''])");

  EXPECT_THAT(value_of(reply), HasSubstr(R"(["sallyport","fetch","object",true])"));
  EXPECT_THAT(value_of(reply), Not(HasSubstr("run_js")));
}

}  // namespace
}  // namespace sallyport::test
