// The `http_request` tool: `fetch()` of an MCP App, carried by a tool call. For apps only.
#pragma once

#include "src/mcp/tool.hpp"
#include "src/pipeline/road.hpp"
#include "src/tools/backend.hpp"

namespace sallyport::tools {

// `road` must outlive every call.
mcp::Tool http_request(HttpRequestOptions options, pipeline::Road& road);

}  // namespace sallyport::tools
