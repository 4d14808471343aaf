// The `whoami` tool: tells a client as whom it reaches the gateway. The first thing to call when a
// connection is set up, and harmless.
#pragma once

#include "src/mcp/tool.hpp"

namespace sallyport::tools {

mcp::Tool whoami();

}  // namespace sallyport::tools
