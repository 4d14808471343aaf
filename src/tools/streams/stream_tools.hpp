// The tools that carry long answers, uploads, WebSockets and events of apps (docs/streams.md), one
// file each. They reach what `http_request` reaches, in the same way.
#pragma once

#include "src/mcp/tool.hpp"
#include "src/pipeline/road.hpp"
#include "src/stream/views.hpp"
#include "src/tools/backend.hpp"
#include "src/tools/http_request/app_gateway.hpp"

#include <memory>
#include <vector>

namespace sallyport::tools {

// What they share. Road and views outlive every call.
struct StreamParts {
  std::shared_ptr<AppGateway> gateway;
  pipeline::Road& road;
  stream::Views& views;
  StreamOptions options;
};
using SharedParts = std::shared_ptr<StreamParts const>;

mcp::Tool http_request_stream(SharedParts parts);
mcp::Tool stream_pull(SharedParts parts);
mcp::Tool stream_push(SharedParts parts);
mcp::Tool stream_close(SharedParts parts);
mcp::Tool ws_connect(SharedParts parts);
mcp::Tool ws_send(SharedParts parts);
mcp::Tool ws_close(SharedParts parts);
mcp::Tool sse_connect(SharedParts parts);
mcp::Tool sse_close(SharedParts parts);

// All of them.
std::vector<mcp::Tool> stream_tools(SharedParts const& parts);

}  // namespace sallyport::tools
