#include "src/tools/streams/push_pieces.hpp"
#include "src/tools/streams/stream_arguments.hpp"

#include <utility>

namespace sallyport::tools {
namespace {

Result<std::vector<stream::Piece>> read_body_pieces(json::Object const& arguments) {
  using Kind = stream::Piece::Kind;
  std::vector<stream::Piece> pieces;
  if (flag_argument(arguments, "abort")) {
    pieces.push_back({.kind = Kind::Abort});
    return pieces;
  }
  SP_TRY(auto payload, payload_argument(arguments));
  if (payload && payload->bytes.size() > kLargestPush) return push_too_large();
  if (payload && !payload->bytes.empty()) {
    pieces.push_back({.kind = Kind::Bytes, .data = std::move(payload->bytes)});
  }
  if (flag_argument(arguments, "fin")) pieces.push_back({.kind = Kind::End});
  return pieces;
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
    return push_pieces(parts, context, arguments, "id", read_body_pieces);
  };
  return tool;
}

}  // namespace sallyport::tools
