// The MCP endpoint over HTTP: POST for both eras, GET and DELETE for legacy sessions. One per loop.
#pragma once

#include "src/mcp/classify.hpp"
#include "src/mcp/dispatcher.hpp"
#include "src/net/exchange.hpp"
#include "src/transport/event_store.hpp"
#include "src/transport/negotiation.hpp"
#include "src/transport/options.hpp"

#include <functional>
#include <memory>
#include <string>

namespace sallyport::transport {

class StreamableHttp {
 public:
  // The endpoint of another loop, to resume streams that live there.
  using Peers = std::function<StreamableHttp&(std::size_t loop)>;

  StreamableHttp(mcp::Dispatcher& dispatcher, HttpOptions const& options, Peers peers);

  Async<void> handle(net::Exchange& exchange, Principal const& principal);

  void sweep() { store_.drop_expired(Clock::now()); }

 private:
  Async<void> post(net::Exchange& exchange, Principal const& principal);
  Async<void> post_modern(net::Exchange& exchange, mcp::ModernRequest request,
                          Principal const& principal, Accepts accepted);
  Async<void> post_legacy(net::Exchange& exchange, mcp::LegacyMessage message,
                          Principal const& principal, Accepts accepted);
  Async<void> post_batch(net::Exchange& exchange, mcp::LegacyBatch batch,
                         Principal const& principal, Accepts accepted);
  Async<void> initialize(net::Exchange& exchange, mcp::RequestMessage const& message,
                         Principal const& principal);
  Async<void> get(net::Exchange& exchange, Principal const& principal);
  Async<void> remove(net::Exchange& exchange, Principal const& principal);

  // The session a request names; nullptr after the refusal has been sent.
  Async<std::shared_ptr<mcp::Session>> find_session(net::Exchange& exchange,
                                                    Principal const& principal);

  // Shows a stream to the client, and what becomes of it.
  Async<void> answer_from(net::Exchange& exchange, std::unique_ptr<EventStream> stream);
  Async<void> stream_to(net::Exchange& exchange, std::size_t home, std::string id,
                        std::uint64_t after);
  Async<void> open_standing_stream(net::Exchange& exchange, std::shared_ptr<mcp::Session> session);

  // On the loop where the stream lives.
  Task<bool> has(std::string id, std::string session);

  RequestContext context(http::ServerRequest const& request, json::Object const& params,
                         Principal const& principal) const;

  mcp::Dispatcher& dispatcher_;
  HttpOptions const& options_;
  Peers peers_;
  EventStore store_;
};

}  // namespace sallyport::transport
