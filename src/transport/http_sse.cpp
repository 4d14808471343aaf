#include "src/transport/http_sse.hpp"

#include "src/base/event_loops.hpp"
#include "src/base/loop_id.hpp"
#include "src/base/random_id.hpp"
#include "src/http/sse.hpp"
#include "src/transport/plain_response.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::transport {
HttpSse::HttpSse(mcp::Dispatcher& dispatcher, HttpOptions const& options, Peers peers)
    : dispatcher_{dispatcher}, options_{options}, peers_{std::move(peers)} {}

Async<void> HttpSse::open(net::Exchange& exchange, Principal const& principal) {
  auto const executor = co_await asio::this_coro::executor;
  auto const id = fmt::format("{}-{}", dispatcher_.loop(), random_id());
  Connection connection{.feed = Feed{executor, options_.stream_queue_bytes},
                        .principal = principal.key()};
  connection.peer = std::make_unique<DuplexPeer>(
      dispatcher_, principal, options_.json_depth,
      DuplexPeer::Output{.write =
                             [&connection](std::string message) {
                               connection.feed.push(
                                   http::to_sse({.event = "message", .data = message}));
                               connection.close_when_answered();
                             },
                         .unsent = [&connection] { return connection.feed.pending_bytes(); }});
  connections_.emplace(id, &connection);
  auto head = event_stream_head();
  head.body =
      http::to_sse({.event = "endpoint", .data = fmt::format("/messages?sessionId={}", id)});
  exchange.watch_stop([&connection] {
    connection.stopping = true;
    connection.close_when_answered();
  });
  auto const begun = co_await exchange.begin(std::move(head));
  if (begun) co_await pump(exchange, connection.feed, options_.keep_alive);
  connections_.erase(id);
}

Async<void> HttpSse::post(net::Exchange& exchange, Principal const& principal) {
  auto& request = exchange.request();
  auto id = http::query_value(request.query, "sessionId");
  auto const loop = loop_in_id(id);
  auto const& loops = dispatcher_.server().loops();
  bool taken = false;
  if (loop && *loop < loops.size()) {
    auto there = peers_(*loop).receive(std::move(id), principal.key(), std::move(request.body));
    auto const result = co_await run_on(loops.executor(*loop), std::move(there));
    taken = result && *result;
  }
  auto const answered = co_await exchange.respond(
      taken ? http::Response{.status = 202, .content_type = "text/plain", .body = "Accepted"}
            : error_response(404, "There is no such session. Open one with GET /sse."));
  (void)answered;
}

Task<bool> HttpSse::receive(std::string id, std::string principal, std::string body) {
  auto const found = connections_.find(id);
  if (found == connections_.end() || found->second->principal != principal) co_return false;
  found->second->peer->receive(body);
  co_return true;
}

}  // namespace sallyport::transport
