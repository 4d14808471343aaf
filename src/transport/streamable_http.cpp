#include "src/transport/streamable_http.hpp"

#include "src/base/event_loops.hpp"
#include "src/http/sse.hpp"
#include "src/json/parse.hpp"
#include "src/transport/batch.hpp"
#include "src/transport/negotiation.hpp"
#include "src/transport/plain_response.hpp"
#include "src/transport/post_outlet.hpp"
#include "src/transport/trace.hpp"

#include <boost/asio/dispatch.hpp>

#include <algorithm>
#include <utility>

namespace sallyport::transport {
namespace {

constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";

class RequestHeaders final : public mcp::HeaderSource {
 public:
  explicit RequestHeaders(http::Headers const& headers) : headers_{headers} {}
  std::string const* find(std::string_view name) const override { return headers_.find(name); }

 private:
  http::Headers const& headers_;
};

// The peer may be gone; there is nobody left to tell.
Async<void> respond(net::Exchange& exchange, http::Response response) {
  auto const sent = co_await exchange.respond(std::move(response));
  (void)sent;
}

Async<void> respond(net::Exchange& exchange, mcp::Answer answer) {
  co_await respond(exchange, json_response(answer.http_status, std::move(answer.body)));
}

mcp::Answer legacy_refusal(int status, std::string message) {
  mcp::RpcError const error{mcp::code::kInvalidRequest, std::move(message), nullptr, status};
  return mcp::error_answer(nullptr, error, mcp::kLatestLegacy);
}

// The end of a request that was cancelled: nothing may be said, but HTTP wants an answer.
mcp::Answer nothing_to_say() {
  return {.body = {}, .http_status = 202};
}

}  // namespace

StreamableHttp::StreamableHttp(mcp::Dispatcher& dispatcher, HttpOptions const& options, Peers peers)
    : dispatcher_{dispatcher},
      options_{options},
      peers_{std::move(peers)},
      store_{dispatcher.loop(), options} {}

RequestContext StreamableHttp::context(http::ServerRequest const& request,
                                       json::Object const& params,
                                       Principal const& principal) const {
  return {.request_id = request.request_id,
          .principal = principal,
          .trace = trace_of(request.headers, mcp::read_trace(params))};
}

Async<void> StreamableHttp::handle(net::Exchange& exchange, Principal const& principal) {
  auto const& method = exchange.request().method;
  if (method == "POST") {
    co_await post(exchange, principal);
  } else if (method == "GET") {
    co_await get(exchange, principal);
  } else if (method == "DELETE") {
    co_await remove(exchange, principal);
  } else {
    co_await respond(exchange, method_not_allowed("GET, POST, DELETE"));
  }
}

Async<void> StreamableHttp::post(net::Exchange& exchange, Principal const& principal) {
  auto& request = exchange.request();
  if (!has_json_body(request.headers)) {
    co_await respond(exchange, error_response(415, "Content-Type must be application/json."));
    co_return;
  }
  auto const accepted = accepted_types(request.headers);
  if (!accepted.json && !accepted.stream) {
    co_await respond(
        exchange, error_response(406, "Accept must allow application/json or text/event-stream."));
    co_return;
  }
  auto storage = boost::json::make_shared_resource<boost::json::monotonic_resource>();
  auto body = json::parse(request.body, storage, {.depth = options_.json_depth});
  RequestHeaders const headers{request.headers};
  if (!body) {
    auto const* version = headers.find(kVersionHeader);
    bool const modern = version != nullptr && mcp::names_modern_era(*version);
    mcp::RpcError const error{mcp::code::kParseError, body.error().message, nullptr, 400};
    co_await respond(exchange,
                     mcp::error_answer(nullptr, error, modern ? mcp::kModern : mcp::kLatestLegacy));
    co_return;
  }
  auto classified = mcp::classify(std::move(*body), &headers);
  if (auto* modern = std::get_if<mcp::ModernRequest>(&classified)) {
    co_await post_modern(exchange, std::move(*modern), principal, accepted);
  } else if (auto* legacy = std::get_if<mcp::LegacyMessage>(&classified)) {
    co_await post_legacy(exchange, std::move(*legacy), principal, accepted);
  } else if (auto* batch = std::get_if<mcp::LegacyBatch>(&classified)) {
    co_await post_batch(exchange, std::move(*batch), principal, accepted);
  } else if (auto* refused = std::get_if<mcp::Refused>(&classified)) {
    co_await respond(exchange, std::move(refused->answer));
  } else {
    co_await respond(exchange, mcp::Answer{.http_status = 202});  // a modern notification
  }
}

Async<void> StreamableHttp::post_modern(net::Exchange& exchange, mcp::ModernRequest request,
                                        Principal const& principal, Accepts accepted) {
  auto const executor = co_await asio::this_coro::executor;
  RequestHeaders const headers{exchange.request().headers};
  PostOutlet outlet{executor, options_.stream_queue_bytes, accepted.stream};
  auto about = context(exchange.request(), request.message.params, principal);
  auto taken = mcp::modern_request(std::move(request.message), std::move(request.envelope),
                                   std::move(about));
  taken.headers = &headers;
  dispatcher_.handle(std::move(taken), outlet);

  if (!outlet.is_finished()) {
    exchange.watch_disconnect([&] { outlet.feed().abort(); });
    exchange.watch_stop([&] { dispatcher_.end_subscription(outlet); });
    // A quiet call becomes a stream after a while, so that nobody on the way gives it up.
    while (!outlet.is_finished() && !outlet.is_streaming() && !outlet.feed().is_aborted()) {
      bool const came = co_await outlet.feed().wait(options_.keep_alive);
      if (!came && accepted.stream) outlet.begin_streaming();
    }
  }
  if (outlet.is_finished() && !outlet.is_streaming() && accepted.json) {
    auto answer = outlet.take_answer();
    if (answer.body.empty()) answer = nothing_to_say();
    co_await respond(exchange, std::move(answer));
    co_return;
  }
  if (outlet.is_finished() && !outlet.is_streaming()) {
    auto const answer = outlet.take_answer();
    auto head = event_stream_head();
    head.body = http::to_sse({.event = "message", .data = answer.body});
    co_await respond(exchange, std::move(head));
    co_return;
  }
  if (!outlet.feed().is_aborted()) {
    auto const begun = co_await exchange.begin(event_stream_head());
    if (begun) co_await pump(exchange, outlet.feed(), options_.keep_alive);
  }
  // 2026-07-28: closing the stream cancels the request.
  if (!outlet.is_finished()) {
    dispatcher_.abandon(outlet, mcp::Dispatcher::PeerGone::Cancels);
  }
}

Async<std::shared_ptr<mcp::Session>> StreamableHttp::find_session(net::Exchange& exchange,
                                                                  Principal const& principal) {
  auto const& headers = exchange.request().headers;
  auto const* version = headers.find(kVersionHeader);
  if (version != nullptr && !mcp::parse_revision(*version)) {
    co_await respond(exchange,
                     legacy_refusal(400, "The header MCP-Protocol-Version is not supported."));
    co_return nullptr;
  }
  auto const* id = headers.find(kSessionHeader);
  if (id == nullptr) {
    co_await respond(exchange, legacy_refusal(400,
                                              "The header Mcp-Session-Id is missing. "
                                              "Send 'initialize' first."));
    co_return nullptr;
  }
  auto session = dispatcher_.sessions().find(*id);
  // SECURITY: a session belongs to who opened it; others learn nothing of it.
  if (!session || session->agreement().principal != principal.id) {
    co_await respond(exchange, legacy_refusal(404, "There is no such session."));
    co_return nullptr;
  }
  session->touch();
  co_return session;
}

Async<void> StreamableHttp::initialize(net::Exchange& exchange, mcp::RequestMessage const& message,
                                       Principal const& principal) {
  auto opened = dispatcher_.open_session(message, principal);
  auto response = json_response(opened.answer.http_status, std::move(opened.answer.body));
  if (opened.session) response.headers.add(std::string{kSessionHeader}, opened.session->id());
  co_await respond(exchange, std::move(response));
}

Async<void> StreamableHttp::post_legacy(net::Exchange& exchange, mcp::LegacyMessage message,
                                        Principal const& principal, Accepts accepted) {
  auto* const request = std::get_if<mcp::RequestMessage>(&message.message);
  if (request != nullptr && request->method == "initialize") {
    co_await initialize(exchange, *request, principal);
    co_return;
  }
  auto const session = co_await find_session(exchange, principal);
  if (!session) co_return;
  if (request == nullptr) {
    if (auto* reply = std::get_if<mcp::ResponseMessage>(&message.message)) {
      dispatcher_.server().deliver_reply(session->id(), std::move(*reply));
    } else {
      dispatcher_.handle_notification(std::get<mcp::NotificationMessage>(message.message),
                                      session->id());
    }
    co_await respond(exchange, mcp::Answer{.http_status = 202});
    co_return;
  }
  auto stream = store_.make(session);
  if (!accepted.stream) stream->forbid_streaming();
  if (!accepted.json) stream->begin_streaming();
  auto about = context(exchange.request(), request->params, principal);
  dispatcher_.handle(mcp::legacy_request(std::move(*request), session, std::move(about)), *stream);
  co_await answer_from(exchange, std::move(stream));
}

Async<void> StreamableHttp::post_batch(net::Exchange& exchange, mcp::LegacyBatch batch,
                                       Principal const& principal, Accepts accepted) {
  auto const session = co_await find_session(exchange, principal);
  if (!session) co_return;
  if (!mcp::has_batching(session->agreement().revision)) {
    co_await respond(exchange, legacy_refusal(400, "This protocol version has no batches."));
    co_return;
  }
  bool const asks = std::ranges::any_of(batch.messages, [](mcp::Message const& message) {
    return std::holds_alternative<mcp::RequestMessage>(message) ||
           std::holds_alternative<mcp::Malformed>(message);
  });
  auto stream = store_.make(session);
  if (!accepted.stream) stream->forbid_streaming();
  if (!accepted.json && asks) stream->begin_streaming();
  auto const about = context(exchange.request(), {}, principal);
  stream->keep(start_batch(dispatcher_, std::move(batch), session, about, *stream));
  co_await answer_from(exchange, std::move(stream));
}

Async<void> StreamableHttp::answer_from(net::Exchange& exchange,
                                        std::unique_ptr<EventStream> stream) {
  if (stream->is_finished() && !stream->is_streaming()) {
    auto answer = stream->take_answer();
    if (answer.body.empty()) answer = nothing_to_say();
    co_await respond(exchange, std::move(answer));
    co_return;
  }
  auto const executor = co_await asio::this_coro::executor;
  auto const id = stream->id();
  store_.keep(std::move(stream));
  {
    // Wait for the first event or the answer. The stream may end, but not go, meanwhile.
    auto const feed = std::make_shared<Feed>(executor, options_.stream_queue_bytes);
    exchange.watch_disconnect([feed] { feed->abort(); });
    while (!feed->is_aborted()) {
      auto* kept = store_.find(id);
      if (kept == nullptr) co_return;
      if (kept->is_finished() || kept->is_streaming()) break;
      kept->on_change([feed] { feed->close(); });
      bool const came = co_await feed->wait(options_.keep_alive);
      kept = store_.find(id);
      if (!came && kept != nullptr && kept->can_send()) kept->begin_streaming();
    }
    if (auto* const kept = store_.find(id)) kept->on_change({});
    if (feed->is_aborted()) co_return;  // the request goes on; the client may come back
  }
  auto* const kept = store_.find(id);
  if (kept == nullptr) co_return;
  if (kept->is_finished() && !kept->is_streaming()) {
    auto answer = kept->take_answer();
    store_.forget(id);
    if (answer.body.empty()) answer = nothing_to_say();
    co_await respond(exchange, std::move(answer));
    co_return;
  }
  co_await stream_to(exchange, dispatcher_.loop(), id, 0);
}

Async<void> StreamableHttp::stream_to(net::Exchange& exchange, std::size_t home, std::string id,
                                      std::uint64_t after) {
  auto const executor = co_await asio::this_coro::executor;
  auto const feed = std::make_shared<Feed>(executor, options_.stream_queue_bytes);
  auto const& loops = dispatcher_.server().loops();
  auto& endpoint = peers_(home);
  // Begun before it is attached: what is shown must have somewhere to go.
  auto const begun = co_await exchange.begin(event_stream_head());
  if (!begun) co_return;
  asio::dispatch(loops.executor(home), [&endpoint, id, reader = Reader{feed, executor}, after] {
    if (auto* const stream = endpoint.store_.find(id)) stream->attach(reader, after);
  });
  exchange.watch_stop([&endpoint, id, home = loops.executor(home)] {
    asio::dispatch(home, [&endpoint, id] {
      if (auto* const stream = endpoint.store_.find(id)) stream->close_standing();
    });
  });
  co_await pump(exchange, *feed, options_.keep_alive);
  asio::dispatch(loops.executor(home), [&endpoint, id, reader = Reader{feed, executor}] {
    if (auto* const stream = endpoint.store_.find(id)) stream->detach(reader);
  });
}

Async<void> StreamableHttp::get(net::Exchange& exchange, Principal const& principal) {
  if (!accepted_types(exchange.request().headers).stream) {
    co_await respond(exchange, error_response(406, "Accept must allow text/event-stream."));
    co_return;
  }
  auto session = co_await find_session(exchange, principal);
  if (!session) co_return;
  auto const* last = exchange.request().headers.find("Last-Event-ID");
  auto const position = last == nullptr ? std::nullopt : EventStore::parse_event_id(*last);
  auto const& loops = dispatcher_.server().loops();
  if (position && position->loop < loops.size()) {
    auto const known = co_await run_on(loops.executor(position->loop),
                                       peers_(position->loop).has(position->stream, session->id()));
    if (known && *known) {
      co_await stream_to(exchange, position->loop, position->stream, position->event);
      co_return;
    }
  }
  co_await open_standing_stream(exchange, std::move(session));
}

Task<bool> StreamableHttp::has(std::string id, std::string session) {
  auto* const stream = store_.find(id);
  co_return stream != nullptr && stream->session().id() == session;
}

Async<void> StreamableHttp::open_standing_stream(net::Exchange& exchange,
                                                 std::shared_ptr<mcp::Session> session) {
  auto stream = store_.make(session);
  auto const id = stream->id();
  auto* const outlet = stream.get();
  outlet->begin_streaming();
  outlet->stand();
  dispatcher_.attach_stream(std::move(session), *outlet);
  outlet->keep(std::shared_ptr<void>{
      nullptr, [this, outlet](void*) { dispatcher_.detach_stream(*outlet); }});
  store_.keep(std::move(stream));
  co_await stream_to(exchange, dispatcher_.loop(), id, 0);
}

Async<void> StreamableHttp::remove(net::Exchange& exchange, Principal const& principal) {
  auto const session = co_await find_session(exchange, principal);
  if (!session) co_return;
  dispatcher_.server().close_session(*session);
  co_await respond(exchange, http::Response{.status = 204});
}

}  // namespace sallyport::transport
