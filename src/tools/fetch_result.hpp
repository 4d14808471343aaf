// What the `fetch` tool gives back: content blocks for the model, facts in `_meta` for programs.
//
// The facts are not structured content: hosts that find any show that to the model instead of the
// content blocks, and the page or image would be lost (docs/fetch.md).
#pragma once

#include "src/base/request_context.hpp"
#include "src/mcp/tool.hpp"
#include "src/tools/fetch_page.hpp"

namespace sallyport::tools {

// Fails with InvalidInput when start_index is beyond the end, with LimitExceeded when a file is too
// large to be embedded. An answer with a status of 400 and more is a result with is_error.
Result<mcp::ToolResult> fetch_result(FetchArguments const& arguments,
                                     pipeline::OutboundAnswer const& answer, FetchedPage page);

// Puts the id under which the audit log has the call into the facts, or beside the error.
void name_call(mcp::ToolResult& result, std::string_view call_id);

// "Error: " and the message, and the code of the failure in `_meta`.
mcp::ToolResult fetch_error(Error const& error, RequestContext const& request);

}  // namespace sallyport::tools
