// The `http_request` tool: `fetch()` of an MCP App, carried by a tool call. For apps only.
#pragma once

#include "src/mcp/tool.hpp"
#include "src/pipeline/road.hpp"
#include "src/stream/views.hpp"
#include "src/tools/backend.hpp"

#include <vector>

namespace sallyport::tools {

// Road and views must outlive every call. The first is `http_request` itself; where there are
// views, the tools that carry streams follow (docs/streams.md).
std::vector<mcp::Tool> app_tools(HttpRequestOptions options, pipeline::Road& road,
                                 stream::Views* views = nullptr, StreamOptions streams = {});

}  // namespace sallyport::tools
