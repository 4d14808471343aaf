// Everything that the road out is made of, put together from the settings.
#pragma once

#include "src/audit/sink.hpp"
#include "src/base/event_loops.hpp"
#include "src/config/settings.hpp"
#include "src/egress/curl_connector.hpp"
#include "src/pipeline/egress_road.hpp"

#include <memory>

namespace sallyport::app {

class RoadOut {
 public:
  // Looks up the proxy, where there is one, and starts the connector. Fails with InvalidInput or
  // UpstreamFailed. `loops` and `sink` outlive it.
  static Result<std::unique_ptr<RoadOut>> create(config::Settings const& settings,
                                                 EventLoops const& loops, audit::Sink& sink);

  pipeline::EgressRoad& road() noexcept { return *road_; }
  egress::Guard const& guard() const noexcept { return guard_; }
  policy::Evaluator& policy() noexcept { return policy_; }
  credentials::Injector const& injector() const noexcept { return injector_; }

 private:
  explicit RoadOut(config::Settings const& settings);

  egress::Guard guard_;
  policy::Allowlist policy_;
  credentials::Injector injector_;
  pipeline::Limiter limiter_;
  std::unique_ptr<egress::CurlConnector> connector_;
  std::unique_ptr<pipeline::EgressRoad> road_;
};

}  // namespace sallyport::app
