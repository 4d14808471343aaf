#include "src/http/chars.hpp"
#include "src/stream/pumps.hpp"
#include "src/tools/streams/stream_arguments.hpp"
#include "src/tools/streams/stream_tools.hpp"
#include "src/tools/streams/streamed_request.hpp"

#include <utility>

namespace sallyport::tools {
namespace {

// As EventSource asks (https://html.spec.whatwg.org/#dom-eventsource).
json::Object event_arguments(json::Object const& arguments) {
  json::Object plain{{"cache", "no-store"}};
  for (auto const* name : {"url", "backend", "headers", "credentials"}) {
    if (auto const* value = json::find(arguments, name)) plain[name] = *value;
  }
  return plain;
}

Result<void> add_event_headers(AppCall& call, std::string const& last_event_id) {
  auto& headers = call.cached.headers;
  headers.set("Accept", "text/event-stream");
  if (last_event_id.empty()) return {};
  if (!http::is_field_value(last_event_id)) {
    return fail(Errc::InvalidInput, "lastEventId has a control character.");
  }
  headers.set("Last-Event-ID", last_event_id);
  return {};
}

struct Events {
  SharedParts parts;
  stream::ViewKey key;
  std::shared_ptr<AppCall> call;
  std::string last_event_id;
};

Task<mcp::ToolResult> open_events(Events const& events, pipeline::Passage const& passage) {
  auto const& parts = *events.parts;
  // Nothing of it is cached; the plan of that says so to the caches on the way.
  SP_CO_TRY(auto const known, co_await parts.gateway->from_cache(passage, *events.call));
  static_cast<void>(known);
  auto request = parts.gateway->outbound(*events.call);
  request.response_bytes = most_bytes(parts.options);
  SP_CO_TRY(auto source, co_await parts.road.open(passage, std::move(request)));
  auto const head = source->head();
  auto response =
      parts.gateway->head_of(*events.call, source->url(), source->redirected(), head.status);
  response.http = {head.status, head.reason, head.headers, nullptr};
  auto facts = head_members(response);
  if (head.status != 200 || !is_event_stream(head.headers)) {
    SP_CO_CHECK(co_await source->close());
    co_return facts_result(std::move(facts));
  }
  SP_CO_TRY(auto opening, parts.views.open(events.key, co_await asio::this_coro::executor));
  auto const stream = *opening;
  SP_CO_CHECK(parts.views.start(
      stream, "events",
      within(events.call, stream::pump_events(stream, std::move(source), parts.options.event_bytes,
                                              events.last_event_id))));
  SP_CO_CHECK(opening.publish());
  facts["connectionId"] = stream->id();
  facts["stream"] = stream_object(*stream);
  co_return facts_result(std::move(facts));
}

Task<mcp::ToolResult> run_sse_connect(SharedParts parts, mcp::CallContext& context,
                                      json::Object const& arguments) {
  Caller const caller{.request = context.request(), .tool = "sse_connect"};
  auto key = view_key(caller.request, arguments);
  auto const plain = event_arguments(arguments);
  auto call = parts->gateway->prepare(caller, plain);
  auto last_event_id = string_argument(arguments, "lastEventId");
  auto const added = call ? add_event_headers(*call, last_event_id) : Result<void>{};
  auto const place = key ? parts->views.check_place(*key) : Result<void>{};
  if (!key || !place || !call || !added) {
    auto const& why = !key     ? key.error()
                      : !place ? place.error()
                      : !call  ? call.error()
                               : added.error();
    co_return co_await parts->gateway->refuse(caller, plain, why);
  }
  auto const about = lasting(caller.request);
  auto passage = AppGateway::passage(caller, &*call, plain);
  passage.request = &about;
  Events const events{.parts = parts,
                      .key = std::move(*key),
                      .call = std::make_shared<AppCall>(std::move(*call)),
                      .last_event_id = std::move(last_event_id)};
  auto result = co_await open_events(events, passage);
  if (!result) co_return AppGateway::failure(result.error(), passage);
  co_return result;
}

}  // namespace

mcp::Tool sse_connect(SharedParts parts) {
  auto tool =
      stream_tool("sse_connect", "Open an event stream",
                  "Opens an event stream of a backend, as EventSource does; its events come "
                  "as frames of a stream.",
                  R"json({
    "url": {"type": "string", "description": "As in http_request"},
    "backend": {"type": "string"},
    "headers": {"description": "A record, or [name, value] pairs",
      "anyOf": [
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "array",
         "items": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}}]},
    "lastEventId": {"type": "string"},
    "credentials": {"type": "string", "enum": ["omit", "same-origin", "include"]}})json",
                  {"url"});
  tool.handler = [parts = std::move(parts)](mcp::CallContext& context,
                                            json::Object const& arguments) {
    return run_sse_connect(parts, context, arguments);
  };
  return tool;
}

}  // namespace sallyport::tools
