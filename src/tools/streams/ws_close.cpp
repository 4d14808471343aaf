#include "src/tools/streams/stream_arguments.hpp"
#include "src/tools/streams/stream_tools.hpp"

#include <utility>

namespace sallyport::tools {
namespace {

constexpr std::size_t kLongestReason = 123;

// As WebSocket.close() has it.
Result<stream::Piece> read_goodbye(json::Object const& arguments) {
  stream::Piece piece{.kind = stream::Piece::Kind::Close,
                      .data = string_argument(arguments, "reason")};
  if (arguments.contains("code")) {
    SP_TRY(auto const code, number_argument(arguments, "code"));
    if (code != 1000 && (code < 3000 || code > 4999)) {
      return fail(Errc::InvalidInput, "code must be 1000, or from 3000 to 4999.");
    }
    piece.code = static_cast<std::uint16_t>(code);
  }
  if (piece.data.size() > kLongestReason) {
    return fail(Errc::InvalidInput, "reason may have at most 123 bytes.");
  }
  if (!piece.code && !piece.data.empty()) piece.code = 1000;
  return piece;
}

Result<void> close_socket(StreamParts const& parts, RequestContext const& request,
                          json::Object const& arguments) {
  SP_TRY(auto const key, view_key(request, arguments));
  SP_TRY(auto const stream, parts.views.find(key, string_argument(arguments, "connectionId")));
  SP_TRY(auto goodbye, read_goodbye(arguments));
  return stream->say_goodbye(std::move(goodbye));
}

Task<mcp::ToolResult> run_ws_close(SharedParts parts, mcp::CallContext& context,
                                   json::Object const& arguments) {
  auto const closed = close_socket(*parts, context.request(), arguments);
  if (!closed) co_return failure_result(closed.error());
  co_return facts_result({});
}

}  // namespace

mcp::Tool ws_close(SharedParts parts) {
  auto tool = stream_tool("ws_close", "Close a WebSocket",
                          "Says goodbye after what was sent; how it closed comes as a frame.",
                          R"json({
    "connectionId": {"type": "string"},
    "code": {"type": "number"},
    "reason": {"type": "string"}})json",
                          {"connectionId"});
  tool.handler = [parts = std::move(parts)](mcp::CallContext& context,
                                            json::Object const& arguments) {
    return run_ws_close(parts, context, arguments);
  };
  return tool;
}

}  // namespace sallyport::tools
