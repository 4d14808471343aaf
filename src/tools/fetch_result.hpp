// What the `fetch` tool gives back: the page in content blocks for the model, facts about it as
// structured content for programs. The page itself stands in the content only, not twice.
#pragma once

#include "src/base/request_context.hpp"
#include "src/mcp/tool.hpp"
#include "src/tools/fetch_page.hpp"

namespace sallyport::tools {

// Of every answer, pages and media, whatever its status. Without an answer there are no facts.
json::Object fetch_output_schema();

// Fails with InvalidInput when start_index is beyond the end, with LimitExceeded when a file is too
// large to be embedded. An answer with a status of 400 and more is a result with is_error.
Result<mcp::ToolResult> fetch_result(FetchArguments const& arguments,
                                     pipeline::OutboundAnswer const& answer, FetchedPage page);

// Puts the id under which the audit log has the call into the facts, or beside the error.
void name_call(mcp::ToolResult& result, std::string_view call_id);

// "Error: " and the message, and the code of the failure in `_meta`.
mcp::ToolResult fetch_error(Error const& error, RequestContext const& request);

}  // namespace sallyport::tools
