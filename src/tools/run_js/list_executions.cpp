#include "src/tools/run_js/run_js.hpp"
#include "src/tools/run_js/run_js_result.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::tools {
namespace {

json::Object list_executions_input() {
  json::Object properties{{"status", status_schema()}};
  properties["status"].get_object()["description"] = "Only those.";
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

json::Object list_executions_schema() {
  json::Object executions{{"type", "array"}, {"items", execution_summary_schema()}};
  return {{"type", "object"},
          {"properties", json::Object{{"executions", std::move(executions)}}},
          {"required", json::Array{"executions"}},
          {"additionalProperties", false}};
}

Task<mcp::ToolResult> tell_executions(mcp::CallContext& context, json::Object const& arguments,
                                      ExecutionStore& executions) {
  auto const* const wanted = json::find_string(arguments, "status");
  std::string text;
  json::Array found;
  for (auto const& facts : executions.list(context.request().principal.key())) {
    if (wanted != nullptr && json::view(*wanted) != to_string(facts.status)) continue;
    text += fmt::format("{}: {}, {} lines of output\n", facts.id, to_string(facts.status),
                        facts.output_lines);
    found.push_back(execution_summary(facts));
  }
  auto result = mcp::text_result(text.empty() ? "[There are none.]" : text);
  result.structured = json::Object{{"executions", std::move(found)}};
  co_return result;
}

}  // namespace

mcp::Tool list_executions(ExecutionStore& executions) {
  mcp::Tool tool;
  tool.name = "list_executions";
  tool.title = "List executions";
  tool.description =
      "Lists your scripts that run_js left running, and those that ended a while ago; newest "
      "first.";
  tool.input_schema = list_executions_input();
  tool.output_schema = list_executions_schema();
  tool.annotations = {{"readOnlyHint", true}, {"openWorldHint", false}};
  tool.handler = [&executions](mcp::CallContext& context, json::Object const& arguments) {
    return tell_executions(context, arguments, executions);
  };
  return tool;
}

}  // namespace sallyport::tools
