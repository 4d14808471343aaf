#include "src/mcp/run_tool.hpp"

#include "src/mcp/error_map.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::mcp {

std::optional<ToolResult> refuse_arguments(RegisteredTool const& tool,
                                           json::Value const& arguments) {
  if (!tool.input) {  // a foreign one, whose server looks at the rest
    if (arguments.is_object()) return std::nullopt;
    return error_result("Invalid arguments: not an object.");
  }
  auto const valid = tool.input->validate(arguments);
  if (valid) return std::nullopt;
  return error_result(fmt::format("Invalid arguments: {}", valid.error().message));
}

Result<ToolResult> settle_outcome(RegisteredTool const& tool, Result<ToolResult> outcome) {
  if (!outcome && is_tool_outcome(outcome.error().code)) {
    return error_result(outcome.error().message);
  }
#ifndef NDEBUG
  if (outcome && tool.output && outcome->structured && !outcome->is_error) {
    auto const valid = tool.output->validate(*outcome->structured);
    if (!valid) {
      return fail(Errc::Internal, "The tool's result does not fit its output schema.",
                  valid.error().message);
    }
  }
#else
  (void)tool;
#endif
  return outcome;
}

Task<ToolResult> run_tool(RegisteredTool const& tool, CallContext& context,
                          json::Value const& arguments) {
  if (auto refusal = refuse_arguments(tool, arguments)) co_return std::move(*refusal);
  auto outcome = co_await capture(tool.tool.handler(context, arguments.get_object()));
  co_return settle_outcome(tool, std::move(outcome));
}

}  // namespace sallyport::mcp
