// Sends with libcurl, in a thread of its own: the only place of the program that opens an outbound
// HTTP connection.
//
// The socket opens to an address out of Dispatch::addresses and to nothing else: libcurl is told
// the address (it looks nothing up), and the socket and pre-request callbacks check it again, also
// for connections that are reused. No redirect is followed, nothing comes from the environment
// (proxy, netrc), no cookie, HSTS or Alt-Svc memory exists, certificates are always verified.
#pragma once

#include "src/egress/exchange.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::egress {

class ExchangeLoop;

// A proxy of the operator. It is asked to tunnel (CONNECT) to the judged address, so that it need
// not, and cannot, look the name up once more.
struct ProxyOptions {
  url::Url url;                           // http or https; credentials in it are sent to the proxy
  std::vector<url::IpAddress> addresses;  // of the proxy
  bool by_name{false};  // CONNECT with the host's name, for proxies that refuse addresses
};

struct ConnectorOptions {
  std::string ca_file;  // PEM, instead of the system's certificates
  std::optional<ProxyOptions> proxy;
  std::size_t max_exchanges{1024};  // at once; what comes on top fails with LimitExceeded
  std::size_t pooled_connections{256};
  std::size_t connections_per_host{64};
  std::chrono::seconds idle_connection{60};
};

class CurlConnector final : public Connector {
 public:
  // Starts the thread. Fails with InvalidInput when `ca_file` cannot be read.
  static Result<std::unique_ptr<CurlConnector>> create(ConnectorOptions options = {});

  // Ends the thread; what is under way fails with Cancelled. Exchanges may outlive it.
  ~CurlConnector() override;
  CurlConnector(CurlConnector const&) = delete;
  CurlConnector& operator=(CurlConnector const&) = delete;

  Task<std::unique_ptr<Exchange>> open(Dispatch dispatch, ExchangeStats& stats) override;

 private:
  explicit CurlConnector(std::unique_ptr<ExchangeLoop> loop);

  std::unique_ptr<ExchangeLoop> loop_;
};

}  // namespace sallyport::egress
