// Sends over HTTP/1.1 on the loop of whoever asks: for short requests to servers that answer soon,
// where the two switches of threads that CurlConnector takes would be most of the time.
//
// Like CurlConnector: the socket opens to an address out of Dispatch::addresses (or to the
// operator's proxy, which is asked for one of them) and to nothing else, a connection is used again
// only where it leads to an address that was judged for the new request as well, no redirect is
// followed, nothing comes from the environment, certificates are always verified. Unlike it, there
// is no HTTP/2, and answers are asked for, and taken, uncompressed.
#pragma once

#include "src/egress/curl_connector.hpp"
#include "src/egress/on_loop_connector.hpp"

#include <memory>
#include <vector>

namespace sallyport::egress {

class LinePool;
class TlsClient;

class LoopConnector final : public OnLoopConnector {
 public:
  // Of the options: the trusted certificates, the proxy, and per loop the number of exchanges at
  // once, and of connections kept and for how long.
  LoopConnector(ConnectorOptions options, std::vector<Executor> loops);
  ~LoopConnector() override;
  LoopConnector(LoopConnector const&) = delete;
  LoopConnector& operator=(LoopConnector const&) = delete;

  // From one of the loops. Fails with InvalidInput where there is a body that is still being made.
  Task<std::unique_ptr<Exchange>> open(Dispatch dispatch, ExchangeStats& stats) override;

  void stop(Executor const& loop) override;

 private:
  std::shared_ptr<LinePool> const& pool_of(Executor const& loop) const;

  ConnectorOptions options_;
  std::unique_ptr<TlsClient> tls_;
  std::vector<Executor> loops_;
  std::vector<std::shared_ptr<LinePool>> pools_;  // in their order
};

}  // namespace sallyport::egress
