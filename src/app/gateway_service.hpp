// The servers behind us, put together from the settings: who signs in to them, what was approved,
// and an MCP server of its own for each (`/mcp/{server}`).
#pragma once

#include "src/config/settings.hpp"
#include "src/mcp/server.hpp"
#include "src/oauth/upstream/grant_store.hpp"
#include "src/oauth/upstream/upstream_authorizer.hpp"
#include "src/pipeline/road_client.hpp"
#include "src/upstream/gateway/gateway.hpp"

#include <memory>
#include <string>
#include <vector>

namespace sallyport::app {

class GatewayService {
 public:
  struct Parts {
    pipeline::Road& road;
    pipeline::ToolGate const& gate;
    EventLoops& loops;
    Sealer const& sealer;
    Metrics& metrics;
  };

  // `own` is what we offer ourselves. Fails with InvalidInput, where a file of ours cannot be used.
  static Result<std::unique_ptr<GatewayService>> create(config::Settings const& settings,
                                                        mcp::Registry::Builder own, Parts parts);

  upstream::Gateway& gateway() noexcept { return *gateway_; }

  // Before start(): makes the servers of which each shows what one of those behind us has.
  Result<void> serve(mcp::ServerOptions const& options, mcp::Server& everything);

  struct Endpoint {
    std::string part;  // of the path
    mcp::Server* server;
  };
  std::vector<Endpoint> endpoints() const;

  void sweep();
  Task<void> stop();

 private:
  explicit GatewayService(Parts parts) : parts_{parts}, sign_in_client_{parts.road, "oauth"} {}

  Parts parts_;
  pipeline::RoadClient sign_in_client_;
  std::unique_ptr<oauth::upstream::GrantStore> grants_;
  std::vector<std::unique_ptr<oauth::upstream::UpstreamAuthorizer>> authorizers_;
  std::unique_ptr<upstream::Approvals> approvals_;
  std::unique_ptr<upstream::Gateway> gateway_;
  std::vector<std::unique_ptr<mcp::Server>> one_each_;
};

}  // namespace sallyport::app
