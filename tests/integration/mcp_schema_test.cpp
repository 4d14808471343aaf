// Every message that the server sends, in every revision, against the schema that the revision
// publishes. The schemas are not part of the repository: where they are absent the tests are
// skipped, and say so.
#include "src/json/schema.hpp"
#include "src/mcp/content.hpp"

#include "tests/servers/fixtures.hpp"
#include "tests/support/mcp_bench.hpp"
#include "tests/support/not_tested.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

namespace sallyport::mcp {
namespace {

using test::McpBench;
using test::RecordingOutlet;

std::string schema_path(Revision revision) {
  auto const* const chosen = std::getenv("TEST_MCP_SCHEMAS");
  return fmt::format("{}/{}.json", chosen == nullptr ? SALLYPORT_MCP_SCHEMAS : chosen,
                     to_string(revision));
}

// The published schema of a revision, one definition at a time.
class PublishedSchema {
 public:
  static std::optional<PublishedSchema> load(Revision revision) {
    std::ifstream file{schema_path(revision)};
    if (!file) return std::nullopt;
    std::stringstream text;
    text << file.rdbuf();
    auto document = json::parse(text.str());
    if (!document) return std::nullopt;
    return PublishedSchema{std::move(document->get_object())};
  }

  bool has(std::string const& name) const { return document_.at(key_).get_object().contains(name); }

  Result<void> check(std::string const& name, json::Value const& value) {
    auto known = compiled_.find(name);
    if (known == compiled_.end()) {
      // Not a bare $ref: draft-07 ignores what stands beside one.
      json::Array all_of;
      all_of.push_back(json::Object{{"$ref", fmt::format("#/{}/{}", key_, name)}});
      json::Object schema{{"$schema", document_.at("$schema")},
                          {key_, document_.at(key_)},
                          {"allOf", std::move(all_of)}};
      SP_TRY(auto compiled, json::Schema::compile(schema, {.subschemas = 100'000}));
      known = compiled_.emplace(name, std::move(compiled)).first;
    }
    return known->second.validate(value);
  }

 private:
  explicit PublishedSchema(json::Object document)
      : document_{std::move(document)},
        key_{document_.contains("$defs") ? "$defs" : "definitions"} {}

  json::Object document_;
  std::string key_;
  std::map<std::string, json::Schema> compiled_;
};

Task<ToolResult> everything(CallContext&, json::Object const&) {
  auto result = structured_result(json::Object{{"answer", 42}});
  result.content.push_back(content::audio(fixtures::tiny_wav(), "audio/wav"));
  result.content.push_back(content::resource_link("test://static-text", "static-text"));
  co_return result;
}

Registry::Builder all_fixtures() {
  Registry::Builder builder;
  fixtures::add_content_tools(builder);
  fixtures::add_stream_tools(builder);
  fixtures::add_elicitation_tools(builder);
  fixtures::add_input_round_tools(builder);
  fixtures::add_task_tools(builder);
  fixtures::add_resources_and_prompts(builder);
  auto rich = fixtures::plain_tool("rich", "Has every member a tool can have", everything);
  rich.title = "Rich";
  rich.icons = {json::Object{{"src", "https://icons.example/i.png"}, {"mimeType", "image/png"}}};
  rich.annotations = {{"title", "Rich"}, {"readOnlyHint", true}};
  rich.meta = {{"example.org/k", 1}};
  rich.task_support = TaskSupport::Optional;
  rich.output_schema = fixtures::object_schema({{"answer", json::Object{{"type", "integer"}}}});
  builder.add(std::move(rich));
  return builder;
}

constexpr std::string_view kCapabilities =
    R"({"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{"listChanged":true},
        "extensions":{"io.modelcontextprotocol/tasks":{}}})";

class McpSchemaTest : public testing::TestWithParam<Revision> {
 protected:
  void SetUp() override {
    schema_ = PublishedSchema::load(GetParam());
    if (!schema_) SP_NOT_TESTED("no published MCP schema: set TEST_MCP_SCHEMAS to their folder.");
    if (!modern()) session_ = bench_.open(GetParam(), kCapabilities);
  }

  bool modern() const { return is_modern(GetParam()); }

  RecordingOutlet& send(std::string_view method, std::string_view params = "{}") {
    return modern() ? bench_.modern(method, params, kCapabilities)
                    : bench_.legacy(session_, method, params);
  }
  RecordingOutlet& call(std::string_view tool, std::string_view arguments = "{}") {
    return send("tools/call", fmt::format(R"({{"name":"{}","arguments":{},
        "_meta":{{"progressToken":"p","io.modelcontextprotocol/logLevel":"debug"}}}})",
                                          tool, arguments));
  }

  void fits(std::string const& definition, json::Value const& value) {
    auto const checked = schema_->check(definition, value);
    EXPECT_TRUE(checked) << to_string(GetParam()) << ' ' << definition << ": "
                         << checked.error().message << "\n"
                         << json::to_text(value);
  }
  // The first of these names that the revision has.
  std::string either(std::string const& newer, std::string const& older) const {
    return schema_->has(newer) ? newer : older;
  }
  void sent_fits(RecordingOutlet const& outlet) {
    static std::map<std::string, std::string> const kDefinitions{
        {"notifications/progress", "ProgressNotification"},
        {"notifications/message", "LoggingMessageNotification"},
        {"notifications/tools/list_changed", "ToolListChangedNotification"},
        {"notifications/prompts/list_changed", "PromptListChangedNotification"},
        {"notifications/resources/list_changed", "ResourceListChangedNotification"},
        {"notifications/resources/updated", "ResourceUpdatedNotification"},
        {"notifications/subscriptions/acknowledged", "SubscriptionsAcknowledgedNotification"},
        {"notifications/tasks", "JSONRPCNotification"},  // of an extension
        {"elicitation/create", "ElicitRequest"},
        {"sampling/createMessage", "CreateMessageRequest"},
        {"roots/list", "ListRootsRequest"}};
    for (auto const& message : outlet.sent) {
      std::string const method{json::view(message.at("method").get_string())};
      fits(kDefinitions.at(method), message);
      fits(message.contains("id") ? "JSONRPCRequest" : "JSONRPCNotification", message);
    }
  }
  // Waits for the result; all that was sent for it must fit as well.
  json::Object result(std::string const& definition, RecordingOutlet const& outlet) {
    bench_.wait(outlet);
    EXPECT_EQ(outlet.error_code(), 0) << outlet.error_message();
    fits(definition, outlet.result());
    fits(either("JSONRPCResultResponse", "JSONRPCResponse"), outlet.answer);
    sent_fits(outlet);
    return outlet.result();
  }
  void error(RecordingOutlet const& outlet) {
    bench_.wait(outlet);
    EXPECT_NE(outlet.error_code(), 0);
    fits(either("JSONRPCErrorResponse", "JSONRPCError"), outlet.answer);
  }
  // A legacy call that asks: answers `index`th question.
  void reply(RecordingOutlet const& outlet, std::size_t index, std::string_view with) {
    ASSERT_LT(index, outlet.sent.size());
    sent_fits(outlet);
    bench_.reply(session_, outlet, index, with);
  }

  McpBench bench_{all_fixtures()};
  std::optional<PublishedSchema> schema_;
  std::shared_ptr<Session> session_;
};

TEST_P(McpSchemaTest, TheOpeningFits) {
  if (modern()) {
    result("DiscoverResult", send("server/discover"));
    return;
  }
  fits("InitializeResult", bench_.initialized.at("result"));
  result("EmptyResult", send("ping"));
  result("EmptyResult", send("logging/setLevel", R"({"level":"debug"})"));
}

TEST_P(McpSchemaTest, ListsFit) {
  result("ListToolsResult", send("tools/list"));
  result("ListResourcesResult", send("resources/list"));
  result("ListResourceTemplatesResult", send("resources/templates/list"));
  result("ListPromptsResult", send("prompts/list"));
}

TEST_P(McpSchemaTest, ResultsOfToolsFit) {
  for (auto const* const tool :
       {"test_simple_text", "test_image_content", "test_audio_content", "test_embedded_resource",
        "test_multiple_content_types", "test_error_handling", "test_tool_with_progress",
        "test_tool_with_logging", "test_streaming_elicitation"}) {
    result("CallToolResult", call(tool));
  }
  result("CallToolResult", call("echo", R"({"text":"t"})"));
  result("CallToolResult", call("echo", R"({"text":7})"));
  // Without the tasks extension: it would become one.
  result("CallToolResult",
         modern() ? bench_.modern("tools/call", R"({"name":"rich"})") : call("rich"));
}

TEST_P(McpSchemaTest, TheSchemasDoRefuseWhatDoesNotFit) {
  EXPECT_FALSE(schema_->check("CallToolResult", test::parsed(R"({"content":"text"})")));
  EXPECT_FALSE(schema_->check("ListToolsResult", test::parsed(R"({"tools":[{"name":"t"}]})")));
  EXPECT_FALSE(schema_->check("ProgressNotification", test::parsed(R"({"method":"other"})")));
}

TEST_P(McpSchemaTest, ResourcesPromptsAndCompletionsFit) {
  for (auto const* const uri :
       {"test://static-text", "test://static-binary", "test://template/7/data"}) {
    result("ReadResourceResult", send("resources/read", fmt::format(R"({{"uri":"{}"}})", uri)));
  }
  result("GetPromptResult", send("prompts/get", R"({"name":"test_simple_prompt"})"));
  result("GetPromptResult", send("prompts/get", R"({"name":"test_prompt_with_image"})"));
  result("GetPromptResult", send("prompts/get", R"({"name":"test_prompt_with_arguments",
                                                    "arguments":{"arg1":"a","arg2":"b"}})"));
  result("GetPromptResult", send("prompts/get", R"({"name":"test_prompt_with_embedded_resource",
                                                    "arguments":{"resourceUri":"x://y"}})"));
  result("CompleteResult", send("completion/complete", R"({"ref":{"type":"ref/prompt",
              "name":"test_prompt_with_arguments"},"argument":{"name":"arg1","value":"par"}})"));
}

TEST_P(McpSchemaTest, ErrorsFit) {
  error(send("no/such"));
  error(send("tools/call", R"({"name":"no_such"})"));
  error(send("resources/read", R"({"uri":"test://none"})"));
  error(send("tools/list", R"({"cursor":"garbage"})"));
  error(send("prompts/get", R"({"name":"no_such"})"));
}

TEST_P(McpSchemaTest, QuestionsFit) {
  constexpr auto kName = R"({"action":"accept","content":{"name":"Alice"}})";
  constexpr auto kText = R"({"role":"assistant","content":{"type":"text","text":"t"},"model":"m"})";
  if (modern()) {
    for (auto const* const tool : {"elicitation", "sampling", "list_roots", "multiple_inputs"}) {
      result("InputRequiredResult", call(fmt::format("test_input_required_result_{}", tool)));
    }
    result("InputRequiredResult", call("test_elicitation_sep1034_defaults"));
    result("InputRequiredResult", call("test_elicitation_sep1330_enums"));
    result("InputRequiredResult",
           send("prompts/get", R"({"name":"test_input_required_result_prompt"})"));
    return;
  }
  if (schema_->has("ElicitRequest")) {
    auto const& form = call("test_input_required_result_elicitation");
    reply(form, 0, kName);
    result("CallToolResult", form);
  }
  auto const& sampling = call("test_input_required_result_sampling");
  reply(sampling, 0, kText);
  result("CallToolResult", sampling);
  auto const& roots = call("test_input_required_result_list_roots");
  reply(roots, 0, R"({"roots":[]})");
  result("CallToolResult", roots);
}

TEST_P(McpSchemaTest, NewsFit) {
  RecordingOutlet stream;
  auto const& listening =
      modern() ? send("subscriptions/listen", R"({"notifications":{"toolsListChanged":true,
                      "promptsListChanged":true,"resourcesListChanged":true,
                      "resourceSubscriptions":["test://watched-resource"]}})")
               : stream;
  if (!modern()) {
    bench_.dispatcher().attach_stream(session_, stream);
    result("EmptyResult", send("resources/subscribe", R"({"uri":"test://watched-resource"})"));
  }

  result("CallToolResult", call("test_trigger_resource_update"));
  auto more = all_fixtures();
  more.add(Tool{.name = "more", .handler = {}});
  more.add(Prompt{.name = "more", .handler = {}, .completer = {}});
  more.add(Resource{.uri = "test://more", .name = "more", .handler = {}});
  bench_.server().replace_registry(more.build().value());
  bench_.settle();

  EXPECT_EQ(listening.sent.size(), modern() ? 5U : 4U);
  sent_fits(listening);
  bench_.stop();
  if (modern()) fits("SubscriptionsListenResult", listening.result());
  bench_.dispatcher().detach_stream(stream);
}

TEST_P(McpSchemaTest, TasksFit) {
  if (modern()) {
    auto const created = result("Result", call("slow_compute"));
    auto const id = json::to_text(created.at("taskId"));
    result("Result", send("tasks/get", fmt::format(R"({{"taskId":{}}})", id)));
    result("Result", send("tasks/cancel", fmt::format(R"({{"taskId":{}}})", id)));
    return;
  }
  if (!has_core_tasks(GetParam())) return;
  auto const created =
      result("CreateTaskResult",
             send("tools/call", R"({"name":"rich","arguments":{},"task":{"ttl":1000}})"));
  auto const params =
      fmt::format(R"({{"taskId":{}}})", json::to_text(created.at("task").at("taskId")));
  result("GetTaskResult", send("tasks/get", params));
  result("GetTaskPayloadResult", send("tasks/result", params));
  result("CallToolResult", send("tasks/result", params));
  result("ListTasksResult", send("tasks/list"));
  auto const asking =
      result("CreateTaskResult",
             send("tools/call", R"({"name":"confirm_delete","arguments":{},"task":{}})"));
  auto const asked =
      fmt::format(R"({{"taskId":{}}})", json::to_text(asking.at("task").at("taskId")));
  result("GetTaskResult", send("tasks/get", asked));
  result("CancelTaskResult", send("tasks/cancel", asked));
  error(send("tasks/cancel", asked));
}

std::string name_of(testing::TestParamInfo<Revision> const& info) {
  std::string name{to_string(info.param)};
  for (auto& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(EveryRevision, McpSchemaTest, testing::ValuesIn(kRevisions), name_of);

}  // namespace
}  // namespace sallyport::mcp
