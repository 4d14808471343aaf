#include "src/tools/streams/push_pieces.hpp"
#include "src/tools/streams/stream_arguments.hpp"

#include <utility>

namespace sallyport::tools {
namespace {

Result<std::vector<stream::Piece>> read_messages(json::Object const& arguments) {
  std::vector<stream::Piece> pieces;
  auto const* messages = json::find_array(arguments, "messages");
  if (messages == nullptr) return pieces;
  std::size_t bytes = 0;
  for (auto const& message : *messages) {
    auto const* object = message.if_object();
    if (object == nullptr) return fail(Errc::InvalidInput, "A message is {text} or {b64}.");
    SP_TRY(auto payload, payload_argument(*object));
    if (!payload) return fail(Errc::InvalidInput, "A message is {text} or {b64}.");
    bytes += payload->bytes.size();
    if (bytes > kLargestPush) return push_too_large();
    pieces.push_back(
        {.kind = payload->text ? stream::Piece::Kind::Text : stream::Piece::Kind::Binary,
         .data = std::move(payload->bytes),
         .more = flag_argument(*object, "more")});
  }
  return pieces;
}

}  // namespace

mcp::Tool ws_send(SharedParts parts) {
  auto tool = stream_tool("ws_send", "Send to a WebSocket",
                          "Sends messages. It is answered when more may follow.", R"json({
    "connectionId": {"type": "string"},
    "seq": {"type": "number", "description": "0, 1, 2…; one that was taken already is not sent twice"},
    "messages": {"type": "array", "items": {"type": "object", "properties": {
      "text": {"type": "string"}, "b64": {"type": "string"},
      "more": {"type": "boolean", "description": "The message goes on in the next one"}}}}})json",
                          {"connectionId", "seq", "messages"});
  tool.handler = [parts = std::move(parts)](mcp::CallContext& context,
                                            json::Object const& arguments) {
    return push_pieces(parts, context, arguments, "connectionId", read_messages);
  };
  return tool;
}

}  // namespace sallyport::tools
