// How things look on the wire in each revision: the newest form, less what an older one does not
// know.
#pragma once

#include "src/mcp/prompt.hpp"
#include "src/mcp/resource.hpp"
#include "src/mcp/revision.hpp"
#include "src/mcp/tool.hpp"

namespace sallyport::mcp::codec {

json::Object tool(Tool const& tool, Revision revision);
json::Object resource(Resource const& resource, Revision revision);
json::Object resource_template(ResourceTemplate const& resource, Revision revision);
json::Object prompt(Prompt const& prompt, Revision revision);

// Result objects, without `resultType` and the like (reply.hpp adds those).
json::Object tool_result(ToolResult result, Revision revision);
// Appends the members of a result whose structured part is text already, without the braces.
void write_tool_result(ToolResult const& result, Revision revision, std::string& out);
// With the members about keeping it, where it says for how long.
json::Object resource_result(ResourceResult result, Revision revision);
json::Object prompt_result(PromptResult const& result, Revision revision);

// A content block; one the revision does not know becomes a text that says what was left out.
json::Object content_block(json::Object const& block, Revision revision);

// The parameters of a question to a client of that revision.
json::Object input_params(InputRequest const& request, Revision revision);
std::string_view input_method(InputKind kind) noexcept;

}  // namespace sallyport::mcp::codec
