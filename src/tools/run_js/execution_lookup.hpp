// The run that a caller asks about.
#pragma once

#include "src/mcp/tool.hpp"
#include "src/tools/run_js/executions.hpp"

namespace sallyport::tools {

// SECURITY: fails with the same NotFound whether there is none or it is another's.
Result<std::shared_ptr<Execution>> own_execution(mcp::CallContext const& context,
                                                 json::Object const& arguments,
                                                 ExecutionStore& executions);

}  // namespace sallyport::tools
