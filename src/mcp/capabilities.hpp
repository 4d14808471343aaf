// What a server with these entries says it can do.
#pragma once

#include "src/json/value.hpp"
#include "src/mcp/revision.hpp"

namespace sallyport::mcp {

class Registry;

json::Object server_capabilities(Registry const& registry, Revision revision);

}  // namespace sallyport::mcp
