#include "src/transport/streamable_http.hpp"

#include "src/base/event_loops.hpp"
#include "src/http/sse.hpp"
#include "src/transport/plain_response.hpp"
#include "src/transport/post_outlet.hpp"

#include <boost/asio/dispatch.hpp>

#include <algorithm>
#include <utility>

namespace sallyport::transport {
namespace {

// The peer may be gone; there is nobody left to tell.
Async<void> answer_with(net::Exchange& exchange, http::Response response) {
  auto const sent = co_await exchange.respond(std::move(response));
  (void)sent;
}

// The whole answer to a request, in the form that the client takes. For one that was cancelled
// nothing may be said, but HTTP wants an answer.
constexpr Accepts kJson{.json = true};

http::Response single_answer(mcp::Answer answer, Accepts accepted) {
  if (answer.body.empty()) return {.status = 202};
  if (accepted.json) return to_response(std::move(answer));
  auto response = event_stream_head();
  response.body = http::to_sse({.event = "message", .data = answer.body});
  return response;
}

}  // namespace

StreamableHttp::StreamableHttp(mcp::Dispatcher& dispatcher, HttpOptions const& options, Peers peers)
    : dispatcher_{dispatcher},
      options_{options},
      peers_{std::move(peers)},
      store_{dispatcher.loop(), options},
      intake_{dispatcher, options, store_} {}

Async<void> StreamableHttp::handle(net::Exchange& exchange, Principal const& principal) {
  auto const& method = exchange.request().method;
  if (method == "POST") {
    co_await post(exchange, principal);
  } else if (method == "GET") {
    co_await get(exchange, principal);
  } else if (method == "DELETE") {
    co_await remove(exchange, principal);
  } else {
    co_await answer_with(exchange, method_not_allowed("GET, POST, DELETE"));
  }
}

Async<void> StreamableHttp::post(net::Exchange& exchange, Principal const& principal) {
  auto const executor = co_await asio::this_coro::executor;
  auto const accepted = accepted_types(exchange.request().headers);
  PostOutlet outlet{executor, options_.stream_queue_bytes, accepted.stream};
  auto taken = intake_.take(exchange.request(), principal, accepted, outlet);
  if (auto* response = std::get_if<http::Response>(&taken)) {
    co_await answer_with(exchange, std::move(*response));
  } else if (auto* stream = std::get_if<std::unique_ptr<EventStream>>(&taken)) {
    co_await answer_from(exchange, std::move(*stream));
  } else if (outlet.is_finished() && !outlet.is_streaming()) {
    co_await answer_with(exchange, single_answer(outlet.take_answer(), accepted));
  } else {
    co_await answer_later(exchange, outlet, accepted);
  }
}

Async<void> StreamableHttp::answer_later(net::Exchange& exchange, PostOutlet& outlet,
                                         Accepts accepted) {
  exchange.watch_disconnect([&] { outlet.feed().abort(); });
  exchange.watch_stop([&] { dispatcher_.end_subscription(outlet); });
  // A quiet call becomes a stream after a while, so that nobody on the way gives it up.
  while (!outlet.is_finished() && !outlet.is_streaming() && !outlet.feed().is_aborted()) {
    bool const came = co_await outlet.feed().wait(options_.keep_alive);
    if (!came && accepted.stream) outlet.begin_streaming();
  }
  if (outlet.is_finished() && !outlet.is_streaming()) {
    co_await answer_with(exchange, single_answer(outlet.take_answer(), accepted));
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

Async<void> StreamableHttp::answer_from(net::Exchange& exchange,
                                        std::unique_ptr<EventStream> stream) {
  if (stream->is_finished() && !stream->is_streaming()) {
    co_await answer_with(exchange, single_answer(stream->take_answer(), kJson));
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
    auto response = single_answer(kept->take_answer(), kJson);
    store_.forget(id);
    co_await answer_with(exchange, std::move(response));
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
    co_await answer_with(exchange, error_response(406, "Accept must allow text/event-stream."));
    co_return;
  }
  auto found = intake_.find_session(exchange.request().headers, principal);
  if (auto* refused = std::get_if<http::Response>(&found)) {
    co_await answer_with(exchange, std::move(*refused));
    co_return;
  }
  auto session = std::get<std::shared_ptr<mcp::Session>>(std::move(found));
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
  auto found = intake_.find_session(exchange.request().headers, principal);
  if (auto* refused = std::get_if<http::Response>(&found)) {
    co_await answer_with(exchange, std::move(*refused));
    co_return;
  }
  dispatcher_.server().close_session(*std::get<std::shared_ptr<mcp::Session>>(found));
  co_await answer_with(exchange, http::Response{.status = 204});
}

}  // namespace sallyport::transport
