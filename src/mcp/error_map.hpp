// Failures of ours as JSON-RPC errors.
#pragma once

#include "src/base/result.hpp"
#include "src/mcp/rpc.hpp"

namespace sallyport::mcp {

RpcError to_rpc_error(Error const& error);

// Whether a tool's failure is told as a result with `isError` (the model can read it and try
// something else) rather than as an error of the protocol.
bool is_tool_outcome(Errc code) noexcept;

}  // namespace sallyport::mcp
