#include "src/tools/streams/stream_tools.hpp"

namespace sallyport::tools {

std::vector<mcp::Tool> stream_tools(SharedParts const& parts) {
  return {http_request_stream(parts),
          stream_pull(parts),
          stream_push(parts),
          stream_close(parts),
          ws_connect(parts),
          ws_send(parts),
          ws_close(parts),
          sse_connect(parts),
          sse_close(parts)};
}

}  // namespace sallyport::tools
