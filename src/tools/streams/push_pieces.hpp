// What `stream_push` and `ws_send` have in common: numbered pieces to a stream.
#pragma once

#include "src/mcp/tool.hpp"
#include "src/tools/streams/stream_tools.hpp"

#include <string_view>
#include <vector>

namespace sallyport::tools {

// In one call.
inline constexpr std::size_t kLargestPush = stream::kMiB;
Error push_too_large();

// Reads the pieces of a call from its arguments.
using ReadPieces = Result<std::vector<stream::Piece>> (*)(json::Object const& arguments);

// `handle` is the argument that names the stream. Waits as long as the call may take.
Task<mcp::ToolResult> push_pieces(SharedParts parts, mcp::CallContext& context,
                                  json::Object const& arguments, std::string_view handle,
                                  ReadPieces read);

}  // namespace sallyport::tools
