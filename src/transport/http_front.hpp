// What stands behind the HTTP server: checks every request, then sends it where it belongs.
#pragma once

#include "src/base/metrics.hpp"
#include "src/json/value.hpp"
#include "src/mcp/server.hpp"
#include "src/net/exchange.hpp"
#include "src/oauth/authenticator.hpp"
#include "src/transport/http_sse.hpp"
#include "src/transport/options.hpp"
#include "src/transport/origin_guard.hpp"
#include "src/transport/streamable_http.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace sallyport::transport {

class HttpFront {
 public:
  // All of them outlive the front. `authenticator` is nullptr when nobody is asked who they are.
  HttpFront(HttpOptions options, mcp::Server& server, oauth::Authenticator* authenticator,
            Metrics const& metrics);

  // For net::HttpServer.
  Async<void> handle(net::Exchange& exchange);

  // Before the server starts: members that /readyz gives beside its status. Called from any loop.
  // SECURITY: nobody is asked who they are there.
  void set_ready_details(std::function<json::Object()> details) {
    ready_details_ = std::move(details);
  }

  // From any thread.
  void sweep();
  void set_ready(bool ready) noexcept { ready_ = ready; }

 private:
  struct PerLoop {
    std::unique_ptr<StreamableHttp> streamable;
    std::unique_ptr<HttpSse> sse;
  };

  Async<void> route(net::Exchange& exchange);
  Async<void> protected_route(net::Exchange& exchange);
  Async<bool> authenticate(net::Exchange& exchange, Principal& principal);
  bool is_metadata_path(std::string_view path) const;
  http::Response readiness(bool stopping) const;
  http::Response preflight(http::ServerRequest const& request) const;

  HttpOptions options_;
  mcp::Server& server_;
  oauth::Authenticator* authenticator_;
  Metrics const& metrics_;
  OriginGuard guard_;
  std::vector<PerLoop> loops_;
  std::atomic<bool> ready_{true};
  std::function<json::Object()> ready_details_;
};

}  // namespace sallyport::transport
