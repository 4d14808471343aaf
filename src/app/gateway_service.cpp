#include "src/app/gateway_service.hpp"

#include "src/app/servers/grants.hpp"
#include "src/app/servers/sign_in_client.hpp"

#include <limits>
#include <utility>

namespace sallyport::app {
namespace {

upstream::ApprovalMode approval_mode(config::Approval approval) {
  switch (approval) {
    case config::Approval::FirstUse: return upstream::ApprovalMode::FirstUse;
    case config::Approval::Always: return upstream::ApprovalMode::Always;
    case config::Approval::Off: return upstream::ApprovalMode::Off;
  }
  return upstream::ApprovalMode::FirstUse;
}

std::size_t search_above(config::GatewaySettings const& settings) {
  switch (settings.search) {
    case config::ToolSearch::On: return 0;
    case config::ToolSearch::Off: return std::numeric_limits<std::size_t>::max();
    case config::ToolSearch::Auto: return settings.search_above;
  }
  return settings.search_above;
}

}  // namespace

Result<std::unique_ptr<GatewayService>> GatewayService::create(config::Settings const& settings,
                                                               mcp::Registry::Builder own,
                                                               Parts parts) {
  std::unique_ptr<GatewayService> service{new GatewayService{parts}};
  upstream::GatewayOptions options{
      .approval = approval_mode(settings.gateway.approval),
      .search_above = search_above(settings.gateway),
      .original_names = settings.gateway.server_names == config::ServerNames::Original};
  for (auto const& entry : settings.mcp_servers) {
    if (!entry.enabled) continue;
    http::Authorizer* authorizer = nullptr;
    if (servers::needs_sign_in(entry.server)) {
      if (service->grants_ == nullptr) {
        SP_TRY(service->grants_, servers::open_grants(settings.gateway));
      }
      service->sign_in_clients_.push_back(servers::sign_in_client(parts.road, entry.server));
      service->authorizers_.push_back(std::make_unique<oauth::upstream::UpstreamAuthorizer>(
          entry.oauth, *service->sign_in_clients_.back(), *service->grants_));
      authorizer = service->authorizers_.back().get();
    }
    options.servers.push_back({entry.server, authorizer});
  }
  if (!options.servers.empty() && !settings.gateway.approvals_file.empty()) {
    SP_TRY(service->approvals_, upstream::Approvals::open(settings.gateway.approvals_file));
    options.approvals = service->approvals_.get();
  }
  service->gateway_ = std::make_unique<upstream::Gateway>(
      std::move(options), std::move(own), parts.road, parts.gate, parts.loops, parts.metrics);
  return service;
}

Result<void> GatewayService::serve(mcp::ServerOptions const& options, mcp::Server& everything) {
  gateway_->serve(everything);
  for (auto const& [name, part] : gateway_->places()) {
    SP_TRY(auto registry, gateway_->registry_of(name));
    one_each_.push_back(std::make_unique<mcp::Server>(options, std::move(registry), parts_.loops,
                                                      parts_.sealer, parts_.metrics));
    gateway_->serve(name, *one_each_.back());
  }
  return {};
}

std::vector<GatewayService::Endpoint> GatewayService::endpoints() const {
  std::vector<Endpoint> endpoints;
  auto const places = gateway_->places();
  for (std::size_t i = 0; i < one_each_.size(); ++i) {
    endpoints.push_back({places[i].part, one_each_[i].get()});
  }
  return endpoints;
}

void GatewayService::sweep() {
  gateway_->sweep();
  for (auto const& server : one_each_) server->sweep();
}

Task<void> GatewayService::stop() {
  for (auto const& server : one_each_) SP_CO_CHECK(co_await server->stop());
  SP_CO_CHECK(co_await gateway_->stop());
  for (auto const& client : sign_in_clients_) client->stop();
  co_return Result<void>{};
}

}  // namespace sallyport::app
