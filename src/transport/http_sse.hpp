// The HTTP+SSE transport of 2024-11-05: GET /sse opens a stream and says where to POST. One per
// loop; a POST that arrives elsewhere is handed to the loop that holds the stream.
#pragma once

#include "src/mcp/dispatcher.hpp"
#include "src/net/exchange.hpp"
#include "src/transport/duplex_peer.hpp"
#include "src/transport/feed.hpp"
#include "src/transport/options.hpp"

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace sallyport::transport {

class HttpSse {
 public:
  using Peers = std::function<HttpSse&(std::size_t loop)>;

  HttpSse(mcp::Dispatcher& dispatcher, HttpOptions const& options, Peers peers);

  Async<void> open(net::Exchange& exchange, Principal const& principal);
  Async<void> post(net::Exchange& exchange, Principal const& principal);

 private:
  struct Connection {
    Feed feed;
    std::string principal;
    std::unique_ptr<DuplexPeer> peer;
    bool stopping{false};

    // The server stops: calls in flight are still answered.
    void close_when_answered() {
      if (stopping && peer->in_flight() == 0) feed.close();
    }
  };

  // On the loop of the stream: false when there is none, or it is someone else's.
  Task<bool> receive(std::string id, std::string principal, std::string body);

  mcp::Dispatcher& dispatcher_;
  HttpOptions const& options_;
  Peers peers_;
  std::unordered_map<std::string, Connection*> connections_;
};

}  // namespace sallyport::transport
