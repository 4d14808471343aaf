// A JSON-RPC batch (2024-11-05 and 2025-03-26): several messages in, one array of answers out.
#pragma once

#include "src/mcp/classify.hpp"
#include "src/mcp/dispatcher.hpp"
#include "src/mcp/outlet.hpp"

#include <memory>

namespace sallyport::transport {

// Starts every message of the batch. `outlet` hears the array, or an empty answer when nothing in
// the batch wants one. Keep what is returned until then.
std::shared_ptr<void> start_batch(mcp::Dispatcher& dispatcher, mcp::LegacyBatch batch,
                                  std::shared_ptr<mcp::Session> const& session,
                                  RequestContext const& context, mcp::Outlet& outlet);

}  // namespace sallyport::transport
