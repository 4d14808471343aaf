// The tools that scripts may call (`mcp.callTool`), under the policy for `mcp_tools`.
#pragma once

#include "src/base/request_context.hpp"
#include "src/js/world.hpp"
#include "src/mcp/server.hpp"
#include "src/pipeline/tool_gate.hpp"

#include <optional>
#include <string>

namespace sallyport::app {

class ScriptTools {
 public:
  // It outlives this.
  explicit ScriptTools(pipeline::ToolGate const& gate) : gate_{gate} {}

  // Whose tools they are: before the first script runs. It outlives every script.
  void offer(mcp::Server& server) noexcept { server_ = &server; }

  js::Available available() const;

  // What `tools/call` would give its client. `caller` outlives the task; each call is judged, and
  // on record, before it is made. Fails with NotFound, PolicyDenied, what the audit log fails with,
  // Cancelled or Internal.
  Task<json::Value> call(RequestContext const& caller, std::string server, std::string tool,
                         json::Object arguments);
  // What may be asked for by call(), if the policy allows it. Fails with NotFound.
  Task<json::Value> list(std::optional<std::string> server);

 private:
  Result<void> check_server(std::string_view name) const;
  Task<std::shared_ptr<mcp::Registry const>> registry() const;

  pipeline::ToolGate const& gate_;
  mcp::Server* server_{nullptr};
};

}  // namespace sallyport::app
