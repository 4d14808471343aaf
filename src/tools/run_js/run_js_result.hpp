// What the tools tell about a run: text for the model, facts for programs.
#pragma once

#include "src/mcp/tool.hpp"
#include "src/tools/run_js/execution.hpp"

#include <string>
#include <string_view>

namespace sallyport::tools {

json::Object run_js_output_schema();
json::Object execution_object_schema();
json::Object execution_summary_schema();
// Of one property that all have.
json::Object status_schema();

// A run that has ended. `can_page`: its output is kept, and what does not fit is found under its
// id. An error when the script did not complete.
mcp::ToolResult finished_result(Execution const& execution, std::size_t answer_bytes,
                                bool can_page);

// A run that goes on, with what it has written so far.
mcp::ToolResult background_result(Execution const& execution, std::size_t answer_bytes);

// How it went, without its output: of `get_execution`.
json::Object execution_object(ExecutionFacts const& facts);
// What is in a list.
json::Object execution_summary(ExecutionFacts const& facts);
// The value, or "TypeError: …" and where; empty while it runs, or when there is nothing to tell.
std::string outcome_text(ExecutionFacts const& facts);

}  // namespace sallyport::tools
