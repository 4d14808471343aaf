// What every call of a tool has in common, whoever makes it: a client, or a script of ours.
#pragma once

#include "src/mcp/registry.hpp"

#include <optional>

namespace sallyport::mcp {

// Nothing where they fit the tool's schema; else the result that says what is wrong.
std::optional<ToolResult> refuse_arguments(RegisteredTool const& tool,
                                           json::Value const& arguments);

// What the handler gave, with its failure told as a result where the caller can make use of it.
Result<ToolResult> settle_outcome(RegisteredTool const& tool, Result<ToolResult> outcome);

// A call that is no message: its arguments are checked, and what it fails with is told, as if it
// were one. All outlive the task.
Task<ToolResult> run_tool(RegisteredTool const& tool, CallContext& context,
                          json::Value const& arguments);

}  // namespace sallyport::mcp
