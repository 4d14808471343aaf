// Results of other servers, as our own: what has the wrong type is left out, for everything behind
// this takes their shape for granted.
#pragma once

#include "src/mcp/prompt.hpp"
#include "src/mcp/resource.hpp"
#include "src/mcp/tool.hpp"

namespace sallyport::upstream {

// Of tools/call, resources/read, prompts/get and completion/complete, URIs public (uris.hpp).
mcp::ToolResult take_tool_result(json::Object result);
mcp::ResourceResult take_resource_result(json::Object result);
mcp::PromptResult take_prompt_result(json::Object result);
mcp::Completion take_completion(json::Object const& result);

}  // namespace sallyport::upstream
