// A connection to a judged address: TCP, the operator's proxy where there is one, TLS. Inside
// egress.
#pragma once

#include "src/egress/curl_connector.hpp"
#include "src/egress/socket.hpp"
#include "src/egress/tls_client.hpp"
#include "src/egress/wire.hpp"

namespace sallyport::egress {

// Tries the addresses in turn. Fails with UpstreamFailed, DeadlineExceeded or Cancelled;
// `stats.connected_address` is filled in where a connection stood.
Task<Wire> dial(SocketDispatch const& dispatch, ConnectorOptions const& options, TlsClient& tls,
                ExchangeStats& stats);

}  // namespace sallyport::egress
