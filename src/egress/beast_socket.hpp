// A WebSocket on a connection that stands, by Boost.Beast. Inside egress.
#pragma once

#include "src/egress/socket.hpp"
#include "src/egress/wire.hpp"

namespace sallyport::egress {

// Asks the server for a WebSocket. Fails with UpstreamFailed or Cancelled. `stats` is what is known
// of the connection.
Task<Handshake> shake_hands(Wire wire, SocketDispatch const& dispatch, ExchangeStats stats);

}  // namespace sallyport::egress
