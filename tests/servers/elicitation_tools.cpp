#include "src/json/write.hpp"

#include "tests/servers/fixtures.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::fixtures {
namespace {

using mcp::CallContext;
using mcp::ToolResult;

json::Object typed(std::string_view type, std::string_view description) {
  return {{"type", type}, {"description", description}};
}

json::Object with(json::Object schema, std::string_view key, json::Value value) {
  schema[key] = std::move(value);
  return schema;
}

Task<ToolResult> ask_form(CallContext& context, std::string_view message, json::Object schema,
                          std::string_view prefix) {
  mcp::InputRequests questions{{"form", mcp::elicit_form(message, std::move(schema))}};
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  co_return mcp::text_result(fmt::format("{}: {}", prefix, json::to_text(answers.at("form"))));
}

Task<ToolResult> samples(CallContext& context, json::Object const& arguments) {
  mcp::InputRequests questions{
      {"sample", mcp::sample_text(json::view(arguments.at("prompt").get_string()), 100)}};
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  auto const* block = json::find_object(answers.at("sample"), "content");
  auto const* text = block == nullptr ? nullptr : json::find_string(*block, "text");
  co_return mcp::text_result(
      fmt::format("LLM response: {}", text == nullptr ? "" : json::view(*text)));
}

Task<ToolResult> elicits(CallContext& context, json::Object const& arguments) {
  auto schema = object_schema({{"username", typed("string", "User's response")},
                               {"email", typed("string", "User's email address")}},
                              {"username", "email"});
  auto const message = json::view(arguments.at("message").get_string());
  co_return co_await ask_form(context, message, std::move(schema), "User response");
}

Task<ToolResult> elicits_defaults(CallContext& context, json::Object const&) {
  auto status =
      with(typed("string", "User status"), "enum", json::Array{"active", "inactive", "pending"});
  auto schema =
      object_schema({{"name", with(typed("string", "User name"), "default", "John Doe")},
                     {"age", with(typed("integer", "User age"), "default", 30)},
                     {"score", with(typed("number", "User score"), "default", 95.5)},
                     {"status", with(std::move(status), "default", "active")},
                     {"verified", with(typed("boolean", "Verification status"), "default", true)}});
  co_return co_await ask_form(context, "Please review and update the form fields with defaults",
                              std::move(schema), "Elicitation completed");
}

json::Array titled_options(std::initializer_list<std::pair<char const*, char const*>> options) {
  json::Array array;
  for (auto const& [value, title] : options) {
    array.push_back(json::Object{{"const", value}, {"title", title}});
  }
  return array;
}

Task<ToolResult> elicits_enums(CallContext& context, json::Object const&) {
  auto const options = json::Array{"option1", "option2", "option3"};
  auto legacy =
      with(typed("string", "Enum with names"), "enum", json::Array{"opt1", "opt2", "opt3"});
  auto const one_of = titled_options({{"value1", "First Option"}, {"value2", "Second Option"}});
  auto schema =
      object_schema({{"untitledSingle", with(typed("string", "Select one"), "enum", options)},
                     {"titledSingle", with(typed("string", "Select one"), "oneOf", one_of)},
                     {"legacyEnum", with(std::move(legacy), "enumNames",
                                         json::Array{"Option One", "Option Two", "Option Three"})},
                     {"untitledMulti", with(typed("array", "Select some"), "items",
                                            json::Object{{"type", "string"}, {"enum", options}})},
                     {"titledMulti", with(typed("array", "Select some"), "items",
                                          json::Object{{"anyOf", one_of}})}});
  co_return co_await ask_form(context, "Please select options from the enum fields",
                              std::move(schema), "Elicitation completed");
}

mcp::Tool with_argument(mcp::Tool tool, std::string_view name) {
  tool.input_schema = object_schema({{name, json::Object{{"type", "string"}}}}, {name});
  return tool;
}

Task<ToolResult> plain(CallContext&, json::Object const&) {
  co_return mcp::text_result("No question was asked");
}

}  // namespace

void add_elicitation_tools(mcp::Registry::Builder& builder) {
  builder.add(
      with_argument(plain_tool("test_sampling", "Asks the client's model", samples), "prompt"));
  builder.add(with_argument(plain_tool("test_elicitation", "Asks the user", elicits), "message"));
  builder.add(
      plain_tool("test_elicitation_sep1034_defaults", "Asks with defaults", elicits_defaults));
  builder.add(plain_tool("test_elicitation_sep1330_enums", "Asks with every kind of choice",
                         elicits_enums));
  builder.add(plain_tool("test_streaming_elicitation", "Answers without asking", plain));
  auto needs = plain_tool("test_missing_capability", "Needs a client that can sample", plain);
  needs.required_capabilities = {{"sampling", json::Object{}}};
  builder.add(std::move(needs));
}

}  // namespace sallyport::fixtures
