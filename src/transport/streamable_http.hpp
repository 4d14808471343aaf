// The MCP endpoint over HTTP: POST for both eras, GET and DELETE for legacy sessions. One per loop.
#pragma once

#include "src/mcp/dispatcher.hpp"
#include "src/net/exchange.hpp"
#include "src/transport/event_store.hpp"
#include "src/transport/options.hpp"
#include "src/transport/post_intake.hpp"

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
  Async<void> answer_later(net::Exchange& exchange, PostOutlet& outlet, Accepts accepted);
  Async<void> get(net::Exchange& exchange, Principal const& principal);
  Async<void> remove(net::Exchange& exchange, Principal const& principal);

  // Shows a stream to the client, and what becomes of it.
  Async<void> answer_from(net::Exchange& exchange, std::unique_ptr<EventStream> stream);
  Async<void> stream_to(net::Exchange& exchange, std::size_t home, std::string id,
                        std::uint64_t after);
  Async<void> open_standing_stream(net::Exchange& exchange, std::shared_ptr<mcp::Session> session);

  // On the loop where the stream lives.
  Task<bool> has(std::string id, std::string session);

  mcp::Dispatcher& dispatcher_;
  HttpOptions const& options_;
  Peers peers_;
  EventStore store_;
  PostIntake intake_;
};

}  // namespace sallyport::transport
