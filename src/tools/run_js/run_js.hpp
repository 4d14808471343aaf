// The tools that run scripts: `run_js`, and those that ask what became of one.
#pragma once

#include "src/base/request_context.hpp"
#include "src/js/engine.hpp"
#include "src/mcp/tool.hpp"
#include "src/tools/run_js/executions.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace sallyport::tools {

inline constexpr std::string_view kRunJs = "run_js";

struct RunJsOptions {
  js::RunLimits limits;  // where a call names none
  // The most that a call may name.
  std::chrono::milliseconds max_wall{300'000};
  std::size_t max_heap_mb{512};
  // A call that lasts longer is answered with an id while its script goes on; 0: never.
  std::chrono::milliseconds background_after{20'000};
  // Of console output in an answer, while the rest is kept; and of the value.
  std::size_t answer_bytes{100'000};
};

// What the script of a call can reach. `caller` has no deadline: the engine ends the script.
using WorldFactory = std::function<std::unique_ptr<js::World>(RequestContext const& caller,
                                                              std::string const& execution)>;

// `executions` must outlive every call.
mcp::Tool run_js(RunJsOptions options, WorldFactory worlds, ExecutionStore& executions);
mcp::Tool get_execution(ExecutionStore& executions);
mcp::Tool get_execution_output(RunJsOptions const& options, ExecutionStore& executions);
mcp::Tool cancel_execution(ExecutionStore& executions);
mcp::Tool list_executions(ExecutionStore& executions);

// What names a session of a principal among those of all.
std::string session_key(Principal const& principal, std::string_view name);

}  // namespace sallyport::tools
