#include "src/tools/streams/stream_arguments.hpp"
#include "src/tools/streams/stream_tools.hpp"

#include <utility>

namespace sallyport::tools {
namespace {

constexpr std::size_t kLargestSend = stream::kMiB;

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
    if (bytes > kLargestSend) return fail(Errc::LimitExceeded, "A push may bring at most 1 MiB.");
    pieces.push_back(
        {.kind = payload->text ? stream::Piece::Kind::Text : stream::Piece::Kind::Binary,
         .data = std::move(payload->bytes),
         .more = flag_argument(*object, "more")});
  }
  return pieces;
}

Task<stream::Stream::Pushed> push_messages(SharedParts parts, RequestContext const& request,
                                           json::Object const& arguments) {
  SP_CO_TRY(auto const key, view_key(request, arguments));
  SP_CO_TRY(auto const stream, parts->views.find(key, string_argument(arguments, "connectionId")));
  SP_CO_TRY(auto const seq, number_argument(arguments, "seq"));
  SP_CO_TRY(auto pieces, read_messages(arguments));
  // As long as the call may take.
  co_return co_await stream->push(seq, std::move(pieces), {});
}

Task<mcp::ToolResult> run_ws_send(SharedParts parts, mcp::CallContext& context,
                                  json::Object const& arguments) {
  auto const pushed = co_await push_messages(parts, context.request(), arguments);
  if (!pushed) co_return failure_result(pushed.error());
  co_return pushed_result(*pushed);
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
    return run_ws_send(parts, context, arguments);
  };
  return tool;
}

}  // namespace sallyport::tools
