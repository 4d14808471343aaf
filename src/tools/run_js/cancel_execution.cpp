#include "src/tools/run_js/execution_lookup.hpp"
#include "src/tools/run_js/run_js.hpp"
#include "src/tools/run_js/run_js_arguments.hpp"
#include "src/tools/run_js/run_js_result.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::tools {
namespace {

// The engine ends a script at once. Should it not, the caller need not wait for it.
constexpr std::chrono::seconds kEndsWithin{5};

json::Object cancel_execution_input() {
  return {{"type", "object"},
          {"properties", json::Object{{"execution_id", execution_id_property()}}},
          {"required", json::Array{"execution_id"}},
          {"additionalProperties", false}};
}

json::Object cancel_execution_schema() {
  json::Object properties{
      {"execution_id", json::Object{{"type", "string"}}},
      {"status", status_schema()},
      {"cancelled",
       json::Object{{"type", "boolean"}, {"description", "False: it had ended before"}}}};
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", json::Array{"execution_id", "status", "cancelled"}},
          {"additionalProperties", false}};
}

Task<mcp::ToolResult> end_execution(mcp::CallContext& context, json::Object const& arguments,
                                    ExecutionStore& executions) {
  SP_CO_TRY(auto const execution, own_execution(context, arguments, executions));
  execution->cancel();
  auto const wakeup = co_await execution->wait(Deadline::in(kEndsWithin));
  if (wakeup == Wakeup::Cancelled) co_return fail(Errc::Cancelled, "The request was cancelled.");
  auto const status = execution->status();
  auto result = mcp::text_result(fmt::format("{}: {}", execution->id(), to_string(status)));
  result.structured = json::Object{{"execution_id", execution->id()},
                                   {"status", to_string(status)},
                                   {"cancelled", status == ExecutionStatus::Cancelled}};
  co_return result;
}

}  // namespace

mcp::Tool cancel_execution(ExecutionStore& executions) {
  mcp::Tool tool;
  tool.name = "cancel_execution";
  tool.title = "Cancel execution";
  tool.description = "Ends a script that run_js left running. What it wrote stays readable.";
  tool.input_schema = cancel_execution_input();
  tool.output_schema = cancel_execution_schema();
  tool.annotations = {{"readOnlyHint", false},
                      {"destructiveHint", true},
                      {"idempotentHint", true},
                      {"openWorldHint", false}};
  tool.handler = [&executions](mcp::CallContext& context, json::Object const& arguments) {
    return end_execution(context, arguments, executions);
  };
  return tool;
}

}  // namespace sallyport::tools
