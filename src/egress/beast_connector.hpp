// Opens WebSockets with Boost.Beast, on the loop of whoever asks.
//
// Like CurlConnector: the socket opens to an address out of SocketDispatch::addresses (or to the
// operator's proxy, which is asked for one of them) and to nothing else, nothing comes from the
// environment, certificates are always verified.
#pragma once

#include "src/egress/curl_connector.hpp"
#include "src/egress/socket.hpp"

#include <memory>

namespace sallyport::egress {

class TlsClient;

class BeastConnector final : public SocketConnector {
 public:
  // Of the options: the trusted certificates and the proxy.
  explicit BeastConnector(ConnectorOptions options);
  ~BeastConnector() override;
  BeastConnector(BeastConnector const&) = delete;
  BeastConnector& operator=(BeastConnector const&) = delete;

  Task<Handshake> open(SocketDispatch dispatch, ExchangeStats& stats) override;

 private:
  ConnectorOptions options_;
  std::unique_ptr<TlsClient> tls_;
};

}  // namespace sallyport::egress
