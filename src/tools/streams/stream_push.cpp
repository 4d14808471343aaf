#include "src/tools/streams/stream_arguments.hpp"
#include "src/tools/streams/stream_tools.hpp"

#include <utility>

namespace sallyport::tools {
namespace {

constexpr std::size_t kLargestPush = stream::kMiB;

Result<std::vector<stream::Piece>> read_body_pieces(json::Object const& arguments) {
  using Kind = stream::Piece::Kind;
  std::vector<stream::Piece> pieces;
  if (flag_argument(arguments, "abort")) {
    pieces.push_back({.kind = Kind::Abort});
    return pieces;
  }
  SP_TRY(auto payload, payload_argument(arguments));
  if (payload && payload->bytes.size() > kLargestPush) {
    return fail(Errc::LimitExceeded, "A push may bring at most 1 MiB.");
  }
  if (payload && !payload->bytes.empty()) {
    pieces.push_back({.kind = Kind::Bytes, .data = std::move(payload->bytes)});
  }
  if (flag_argument(arguments, "fin")) pieces.push_back({.kind = Kind::End});
  return pieces;
}

Task<stream::Stream::Pushed> push_body(SharedParts parts, RequestContext const& request,
                                       json::Object const& arguments) {
  SP_CO_TRY(auto const key, view_key(request, arguments));
  SP_CO_TRY(auto const stream, parts->views.find(key, string_argument(arguments, "id")));
  SP_CO_TRY(auto const seq, number_argument(arguments, "seq"));
  SP_CO_TRY(auto pieces, read_body_pieces(arguments));
  // As long as the call may take.
  co_return co_await stream->push(seq, std::move(pieces), {});
}

Task<mcp::ToolResult> run_stream_push(SharedParts parts, mcp::CallContext& context,
                                      json::Object const& arguments) {
  auto const pushed = co_await push_body(parts, context.request(), arguments);
  if (!pushed) co_return failure_result(pushed.error());
  co_return pushed_result(*pushed);
}

}  // namespace

mcp::Tool stream_push(SharedParts parts) {
  auto tool = stream_tool("stream_push", "Push to a stream",
                          "Brings the next piece of an upload. It is answered when more may come.",
                          R"json({
    "id": {"type": "string"},
    "seq": {"type": "number", "description": "0, 1, 2…; one that was taken already is not sent twice"},
    "b64": {"type": "string", "description": "The piece, at most 1 MiB of bytes"},
    "text": {"type": "string", "description": "The piece, instead of b64"},
    "fin": {"type": "boolean", "description": "It was the last one"},
    "abort": {"type": "boolean", "description": "Instead: the upload is given up"}})json",
                          {"id", "seq"});
  tool.handler = [parts = std::move(parts)](mcp::CallContext& context,
                                            json::Object const& arguments) {
    return run_stream_push(parts, context, arguments);
  };
  return tool;
}

}  // namespace sallyport::tools
