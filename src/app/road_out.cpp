#include "src/app/road_out.hpp"

#include "src/config/egress_options.hpp"
#include "src/egress/dns_resolver.hpp"
#include "src/egress/system_addresses.hpp"

#include <utility>

namespace sallyport::app {
namespace {

Result<std::optional<egress::ProxyOptions>> proxy_options(config::EgressSettings const& settings) {
  auto const url = config::proxy_of(settings);
  if (!url) return std::optional<egress::ProxyOptions>{};
  egress::ProxyOptions options{.url = *url, .by_name = settings.proxy_by_name};
  SP_TRY(options.addresses, egress::system_addresses(*url));
  return std::optional{std::move(options)};
}

void measure(std::vector<credentials::Rule> const& rules, Metrics& metrics) {
  for (auto const& rule : rules) {
    if (rule.source) rule.source->measure(metrics, rule.name);
  }
}

std::vector<Executor> executors_of(EventLoops const& loops) {
  std::vector<Executor> all;
  for (std::size_t loop = 0; loop < loops.size(); ++loop) all.push_back(loops.executor(loop));
  return all;
}

}  // namespace

RoadOut::RoadOut(config::Settings const& settings)
    : guard_{config::guard_options(settings.egress)},
      allowlist_{settings.egress.policy},
      injector_{settings.egress.inject},
      limiter_{config::limiter_options(settings.egress)} {}

Result<std::unique_ptr<RoadOut>> RoadOut::create(config::Settings const& settings,
                                                 EventLoops const& loops, audit::Sink& sink,
                                                 Metrics& metrics) {
  std::unique_ptr<RoadOut> out{new RoadOut{settings}};
  measure(settings.egress.inject, metrics);
  for (auto const& backend : settings.backends) measure(backend.credentials, metrics);
  SP_TRY(out->policies_, PolicyKeeper::create(settings.policies,
                                              {out->policy_client_, out->policy_sender_}, metrics));
  out->policy_ = std::make_unique<policy::Both>(out->allowlist_, out->policies_->chain());
  auto options = config::connector_options(settings.egress);
  SP_TRY(options.proxy, proxy_options(settings.egress));
  out->socket_connector_ = std::make_unique<egress::BeastConnector>(options);
  out->loop_connector_ = std::make_unique<egress::LoopConnector>(options, executors_of(loops));
  SP_TRY(out->connector_, egress::CurlConnector::create(std::move(options)));
  std::vector<std::unique_ptr<egress::Resolver>> resolvers;
  for (std::size_t loop = 0; loop < loops.size(); ++loop) {
    SP_TRY(auto resolver,
           egress::DnsResolver::create(loops.executor(loop), config::dns_options(settings.egress)));
    resolvers.push_back(std::move(resolver));
  }
  out->road_ = std::make_unique<pipeline::EgressRoad>(
      pipeline::RoadParts{.guard = out->guard_,
                          .connector = *out->connector_,
                          .policy = *out->policy_,
                          .injector = out->injector_,
                          .limiter = out->limiter_,
                          .audit = sink,
                          .limits = settings.egress.exchange,
                          .mask = {settings.audit.shown_query_parameters},
                          .mask_echoes = settings.egress.mask_echoes,
                          .sockets = out->socket_connector_.get(),
                          .on_loop = out->loop_connector_.get()},
      loops, std::move(resolvers));
  out->road_later_.set(*out->road_);
  return out;
}

}  // namespace sallyport::app
