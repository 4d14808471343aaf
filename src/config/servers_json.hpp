// MCP servers in the JSON of other programs: `mcpServers` of desktop clients (an object, by name)
// and of GemiHub's settings.json (an array), `servers` of VS Code's mcp.json.
//
// These files belong to others, so what is not known in them is left out with a notice; what is
// known must be right.
#pragma once

#include "src/config/load.hpp"
#include "src/config/mcp_server_entry.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::config {

struct PathProblem {
  std::string path;  // inside the JSON: "mcpServers.fs.args[1]"; may be empty
  std::string message;
};

struct ServersJson {
  std::vector<McpServerSettings> servers;  // `origin` is the path inside: "mcpServers.fs"
  std::vector<PathProblem> problems;       // SECURITY: hold no value
  std::vector<PathProblem> notices;        // what was left out
};

ServersJson read_servers_json(std::string_view text, Variables const& variables);

}  // namespace sallyport::config
