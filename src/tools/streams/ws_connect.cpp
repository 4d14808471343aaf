#include "src/http/chars.hpp"
#include "src/stream/pumps.hpp"
#include "src/tools/streams/stream_arguments.hpp"
#include "src/tools/streams/stream_tools.hpp"
#include "src/tools/streams/streamed_request.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::tools {
namespace {

constexpr std::size_t kMostProtocols = 64;

// What an app writes ws, backends write http: the places are the same.
std::string as_http(std::string const& url) {
  auto const scheme = [&](std::string_view name) {
    return http::equals_ignoring_case(std::string_view{url}.substr(0, name.size()), name);
  };
  if (scheme("ws:")) return "http:" + url.substr(3);
  if (scheme("wss:")) return "https:" + url.substr(4);
  return url;
}

std::string as_websocket(std::string url) {
  return url.starts_with("http") ? "ws" + url.substr(4) : url;
}

// As the WebSocket constructor has it: tokens, none twice.
Result<std::vector<std::string>> read_protocols(json::Object const& arguments) {
  std::vector<std::string> protocols;
  auto const* list = json::find_array(arguments, "protocols");
  if (list == nullptr) return protocols;
  for (auto const& each : *list) {
    auto const* name = each.if_string();
    bool const fits = name != nullptr && http::is_token(json::view(*name)) &&
                      std::ranges::find(protocols, json::view(*name)) == protocols.end();
    if (!fits || protocols.size() == kMostProtocols) {
      return fail(Errc::InvalidInput, "protocols must be different tokens, and not too many.");
    }
    protocols.emplace_back(json::view(*name));
  }
  return protocols;
}

json::Object handshake_arguments(json::Object const& arguments) {
  json::Object plain{{"url", as_http(string_argument(arguments, "url"))}};
  for (auto const* name : {"backend", "headers", "credentials", "timeoutMs"}) {
    if (auto const* value = json::find(arguments, name)) plain[name] = *value;
  }
  return plain;
}

Task<mcp::ToolResult> connected(SharedParts parts, stream::ViewKey key,
                                std::shared_ptr<AppCall> call,
                                std::shared_ptr<pipeline::OutboundSocket> socket) {
  SP_CO_TRY(auto opening, parts->views.open(key, co_await asio::this_coro::executor));
  auto const stream = *opening;
  stream->open_uplink(stream::Uplink::Takes::Messages);
  SP_CO_CHECK(opening.publish());
  SP_CO_CHECK(
      parts->views.start(stream, "socket", within(call, stream::pump_messages(stream, socket))));
  SP_CO_CHECK(parts->views.start(stream, "sender", stream::send_messages(stream, socket)));
  auto const url = call->target.relative ? seen_by_app(call->target.url, call->target)
                                         : as_websocket(call->target.url.href());
  co_return facts_result({{"connectionId", stream->id()},
                          {"stream", stream_object(*stream, true)},
                          {"url", url},
                          {"protocol", socket->protocol()},
                          {"extensions", socket->extensions()}});
}

Task<mcp::ToolResult> run_ws_connect(SharedParts parts, mcp::CallContext& context,
                                     json::Object const& arguments) {
  Caller const caller{.request = context.request(), .tool = "ws_connect", .operation = "websocket"};
  auto key = view_key(caller.request, arguments);
  auto protocols = read_protocols(arguments);
  auto const plain = handshake_arguments(arguments);
  auto call = parts->gateway->prepare(caller, plain);
  auto const place = key ? parts->views.check_place(*key) : Result<void>{};
  if (!key || !place || !protocols || !call) {
    auto const& why = !key         ? key.error()
                      : !place     ? place.error()
                      : !protocols ? protocols.error()
                                   : call.error();
    co_return co_await parts->gateway->refuse(caller, plain, why);
  }
  auto const about = lasting(caller.request);
  auto passage = AppGateway::passage(caller, &*call, plain);
  passage.request = &about;
  auto const shared = std::make_shared<AppCall>(std::move(*call));
  auto request = parts->gateway->socket(*shared);
  request.protocols = std::move(*protocols);
  request.message_bytes = parts->options.message_bytes;
  request.received_bytes = parts->options.total_bytes;
  auto socket = co_await parts->road.connect(passage, std::move(request));
  if (!socket) co_return AppGateway::failure(socket.error(), passage);
  auto result = co_await connected(parts, std::move(*key), shared, std::move(*socket));
  if (!result) co_return AppGateway::failure(result.error(), passage);
  co_return result;
}

}  // namespace

mcp::Tool ws_connect(SharedParts parts) {
  auto tool =
      stream_tool("ws_connect", "Open a WebSocket",
                  "Opens a WebSocket of an app to a backend; its messages come as frames of "
                  "a stream.",
                  R"json({
    "url": {"type": "string", "description": "Path and query, relative to the backend; a ws or wss URL where the operator allows it"},
    "backend": {"type": "string"},
    "protocols": {"type": "array", "items": {"type": "string"}},
    "headers": {"description": "A record, or [name, value] pairs",
      "anyOf": [
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "array",
         "items": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}}]},
    "credentials": {"type": "string", "enum": ["omit", "same-origin", "include"]},
    "timeoutMs": {"type": "number", "description": "Time until it is open"}})json",
                  {"url"});
  tool.handler = [parts = std::move(parts)](mcp::CallContext& context,
                                            json::Object const& arguments) {
    return run_ws_connect(parts, context, arguments);
  };
  return tool;
}

}  // namespace sallyport::tools
