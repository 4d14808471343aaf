// The handlers behind what other servers offer: each leads to its server.
#pragma once

#include "src/mcp/registry.hpp"
#include "src/pipeline/tool_gate.hpp"
#include "src/upstream/gateway/upstream_server.hpp"

#include <string>

namespace sallyport::upstream {

// Both outlive every call.
struct Route {
  UpstreamServer& server;
  pipeline::ToolGate const& gate;
  bool original_uris{false};  // clients have those of the server
};

// Every call, read and get is judged and on record; what may not be had is not completed.
//
// `tool` with its original name.
mcp::ToolHandler tool_route(Route route, mcp::Tool const& tool);
// For every URI of the server.
mcp::ResourceHandler resource_route(Route route);
mcp::PromptHandler prompt_route(Route route, std::string original_name);
// Of a prompt's arguments, and of a template's variables.
mcp::Completer prompt_completer(Route route, std::string original_name);
mcp::Completer template_completer(Route route, std::string original_template);

}  // namespace sallyport::upstream
