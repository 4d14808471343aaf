// HTTP/1.1 server: one acceptor per event loop (SO_REUSEPORT), keep-alive, limits, TLS on demand.
//
// It knows no MCP. What it refuses by itself (bad syntax, too large, too slow, too many) never
// reaches the handler.
#pragma once

#include "src/base/event_loops.hpp"
#include "src/base/metrics.hpp"
#include "src/net/exchange.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace sallyport::net {

struct ServerLimits {
  std::size_t header_bytes{16UL * 1024};      // 431
  std::size_t body_bytes{4UL * 1024 * 1024};  // 413
  std::size_t connections{4096};              // 503 and close, over all loops
  std::size_t pipelined_requests{64};         // waiting behind the one being answered; then unread
  std::chrono::milliseconds header_timeout{10'000};  // 408, from the first byte of a request
  std::chrono::milliseconds body_timeout{30'000};    // 408
  std::chrono::milliseconds idle_timeout{75'000};    // between requests: close without an answer
  std::chrono::milliseconds write_timeout{30'000};   // one piece; then the connection is reset
};

struct TlsOptions {
  std::string certificate_file;  // PEM chain; empty: no TLS
  std::string key_file;
};

struct ServerOptions {
  std::string host{"127.0.0.1"};
  std::uint16_t port{3000};  // 0: any free one
  TlsOptions tls;
  ServerLimits limits;
};

class HttpServer {
 public:
  // Binds and listens, so that a taken port is an error at start-up. Fails with InvalidInput and a
  // message for the operator. `loops`, `metrics` outlive the server.
  static Result<std::unique_ptr<HttpServer>> create(ServerOptions options, EventLoops& loops,
                                                    Metrics& metrics, Handler handler);

  virtual ~HttpServer() = default;

  // Starts to accept on every loop. Call before or after EventLoops::run().
  virtual void start() = 0;

  // Stops accepting, closes idle connections, lets requests at hand finish (they see stopping()),
  // and after `grace` cuts what is left. `on_done` is called once, on loop 0. From any thread.
  virtual void stop(std::chrono::milliseconds grace, std::function<void()> on_done) = 0;

  virtual std::uint16_t port() const noexcept = 0;
};

}  // namespace sallyport::net
