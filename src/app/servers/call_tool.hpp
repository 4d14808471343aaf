// `sallyport servers call`: one tool of one server.
#pragma once

#include "src/app/cli.hpp"
#include "src/app/servers/visit.hpp"

#include <string>
#include <vector>

namespace sallyport::app::servers {

struct CallRequest {
  std::string tool;
  std::vector<std::string> pairs;  // "name=value"
  std::string arguments;           // JSON
  bool raw{false};                 // print the result as JSON
};

// The result on standard output, all else on standard error. The exit code: 1 where the call or the
// tool failed.
Task<int> call_tool(Visit& visit, config::McpServerSettings const& server,
                    CallRequest const& request, Surroundings const& surroundings);

}  // namespace sallyport::app::servers
