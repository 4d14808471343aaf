// Everything that the road out is made of, put together from the settings.
#pragma once

#include "src/app/policy_keeper.hpp"
#include "src/audit/sink.hpp"
#include "src/base/event_loops.hpp"
#include "src/config/settings.hpp"
#include "src/egress/beast_connector.hpp"
#include "src/egress/curl_connector.hpp"
#include "src/egress/loop_connector.hpp"
#include "src/pipeline/egress_road.hpp"
#include "src/pipeline/policy_sender.hpp"
#include "src/pipeline/road_client.hpp"

#include <memory>

namespace sallyport::app {

// A road that is built after those who will use it.
class RoadLater final : public pipeline::Road {
 public:
  void set(pipeline::Road& road) noexcept { road_ = &road; }

  Task<pipeline::OutboundAnswer> send(pipeline::Passage const& passage,
                                      pipeline::OutboundRequest request) override {
    return road_->send(passage, std::move(request));
  }
  Task<std::unique_ptr<pipeline::OutboundStream>> open(pipeline::Passage passage,
                                                       pipeline::OutboundRequest request) override {
    return road_->open(std::move(passage), std::move(request));
  }
  Task<std::unique_ptr<pipeline::OutboundSocket>> connect(
      pipeline::Passage passage, pipeline::SocketRequest request) override {
    return road_->connect(std::move(passage), std::move(request));
  }
  Task<void> record_unsent(pipeline::Passage const& passage, pipeline::UnsentCall call) override {
    return road_->record_unsent(passage, std::move(call));
  }
  Result<audit::Receipt> begin_record(pipeline::Passage const& passage, pipeline::UnsentCall call,
                                      Executor loop) override {
    return road_->begin_record(passage, std::move(call), loop);
  }

 private:
  pipeline::Road* road_{nullptr};
};

class RoadOut {
 public:
  // Looks up the proxy, where there is one, and starts the connector. Fails with InvalidInput or
  // UpstreamFailed. `loops`, `sink` and `metrics` outlive it.
  static Result<std::unique_ptr<RoadOut>> create(config::Settings const& settings,
                                                 EventLoops const& loops, audit::Sink& sink,
                                                 Metrics& metrics);

  pipeline::EgressRoad& road() noexcept { return *road_; }
  egress::Guard const& guard() const noexcept { return guard_; }
  policy::Evaluator& policy() noexcept { return *policy_; }
  policy::ToolEvaluator& tool_policy() noexcept { return policies_->chain(); }
  // Reads the files of policies again.
  void reload() { policies_->reload(); }
  // From any thread.
  std::vector<PolicyProblem> policy_problems() const { return policies_->problems(); }
  credentials::Injector const& injector() const noexcept { return injector_; }

 private:
  explicit RoadOut(config::Settings const& settings);

  egress::Guard guard_;
  policy::Allowlist allowlist_;
  // Policies on OPA servers are asked on the road that they judge, and so is what policies send.
  RoadLater road_later_;
  pipeline::RoadClient policy_client_{road_later_, std::string{policy::kPolicyPurpose}, false};
  pipeline::PolicySender policy_sender_{road_later_};
  std::unique_ptr<PolicyKeeper> policies_;
  std::unique_ptr<policy::Evaluator> policy_;
  credentials::Injector injector_;
  pipeline::Limiter limiter_;
  std::unique_ptr<egress::CurlConnector> connector_;
  std::unique_ptr<egress::LoopConnector> loop_connector_;
  std::unique_ptr<egress::BeastConnector> socket_connector_;
  std::unique_ptr<pipeline::EgressRoad> road_;
};

}  // namespace sallyport::app
