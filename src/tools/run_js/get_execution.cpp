#include "src/tools/run_js/execution_lookup.hpp"
#include "src/tools/run_js/run_js.hpp"
#include "src/tools/run_js/run_js_arguments.hpp"
#include "src/tools/run_js/run_js_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::tools {
namespace {

constexpr int kLongestWait = 60;

json::Object get_execution_input() {
  json::Object const wait{
      {"type", "number"},
      {"description",
       "Wait so many seconds for the script to end, and answer as soon as it has; 0: answer now."},
      {"minimum", 0},
      {"maximum", kLongestWait},
      {"default", 0}};
  return {
      {"type", "object"},
      {"properties", json::Object{{"execution_id", execution_id_property()}, {"wait_secs", wait}}},
      {"required", json::Array{"execution_id"}},
      {"additionalProperties", false}};
}

mcp::ToolResult execution_result(ExecutionFacts const& facts) {
  auto text = fmt::format("{}: {}, {} lines of output.", facts.id, to_string(facts.status),
                          facts.output_lines);
  if (auto const outcome = outcome_text(facts); !outcome.empty()) text += "\n" + outcome;
  auto result = mcp::text_result(text);
  result.structured = execution_object(facts);
  return result;
}

Task<mcp::ToolResult> tell_execution(mcp::CallContext& context, json::Object const& arguments,
                                     ExecutionStore& executions) {
  SP_CO_TRY(auto const execution, own_execution(context, arguments, executions));
  auto const seconds = std::min<double>(number_or(arguments, "wait_secs", 0), kLongestWait);
  if (seconds > 0 && !has_ended(execution->status())) {
    auto const patience =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>{seconds});
    auto const wakeup = co_await execution->wait(Deadline::in(patience));
    if (wakeup == Wakeup::Cancelled) {
      co_return fail(Errc::Cancelled, "The request was cancelled.");
    }
  }
  co_return execution_result(execution->facts());
}

}  // namespace

mcp::Tool get_execution(ExecutionStore& executions) {
  mcp::Tool tool;
  tool.name = "get_execution";
  tool.title = "Get execution";
  tool.description =
      "Tells how far a script is that run_js left running: its status, and once it has ended its "
      "value or its error. Its output is with get_execution_output.";
  tool.input_schema = get_execution_input();
  tool.output_schema = execution_object_schema();
  tool.annotations = {{"readOnlyHint", true}, {"openWorldHint", false}};
  tool.handler = [&executions](mcp::CallContext& context, json::Object const& arguments) {
    return tell_execution(context, arguments, executions);
  };
  return tool;
}

}  // namespace sallyport::tools
