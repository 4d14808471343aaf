#include "src/tools/run_js/execution_lookup.hpp"

#include "src/tools/run_js/run_js_arguments.hpp"

namespace sallyport::tools {

Result<std::shared_ptr<Execution>> own_execution(mcp::CallContext const& context,
                                                 json::Object const& arguments,
                                                 ExecutionStore& executions) {
  auto found = executions.find(execution_id_of(arguments), context.request().principal.key());
  if (found) return found;
  return fail(Errc::NotFound,
              "There is no such execution: it has never been, or it ended too long ago.");
}

}  // namespace sallyport::tools
