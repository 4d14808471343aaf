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
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::transport {

class HttpFront {
 public:
  // All of them outlive the front. `authenticator` is nullptr when nobody is asked who they are.
  HttpFront(HttpOptions options, mcp::Server& server, oauth::Authenticator* authenticator,
            Metrics const& metrics);

  // Before the first request: `server` answers below the endpoint, at `/mcp/{part}`. It outlives
  // the front.
  void serve_below(std::string const& part, mcp::Server& server);

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
  // The Streamable HTTP endpoint of one server, on each loop.
  struct Endpoint {
    std::vector<std::unique_ptr<StreamableHttp>> loops;
  };
  std::unique_ptr<Endpoint> make_endpoint(mcp::Server& server);
  Endpoint* find_endpoint(std::string_view path);

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
  std::unique_ptr<Endpoint> endpoint_;
  std::vector<std::unique_ptr<HttpSse>> sse_;                            // by loop
  std::map<std::string, std::unique_ptr<Endpoint>, std::less<>> below_;  // by path
  std::atomic<bool> ready_{true};
  std::function<json::Object()> ready_details_;
};

}  // namespace sallyport::transport
