// The road out as it is built: the stages of road.hpp over the guard, DNS and libcurl.
#pragma once

#include "src/audit/mask.hpp"
#include "src/audit/sink.hpp"
#include "src/base/event_loops.hpp"
#include "src/credentials/injector.hpp"
#include "src/egress/exchange.hpp"
#include "src/egress/guard.hpp"
#include "src/egress/on_loop_connector.hpp"
#include "src/egress/resolver.hpp"
#include "src/egress/socket.hpp"
#include "src/pipeline/explanation.hpp"
#include "src/pipeline/limiter.hpp"
#include "src/pipeline/road.hpp"
#include "src/pipeline/road_client.hpp"
#include "src/pipeline/robots_cache.hpp"
#include "src/policy/evaluator.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace sallyport::pipeline {

// All of them outlive the road.
struct RoadParts {
  egress::Guard const& guard;
  egress::Connector& connector;
  policy::Evaluator& policy;
  credentials::Injector const& injector;
  Limiter& limiter;
  audit::Sink& audit;
  egress::ExchangeLimits limits;  // a call may have a smaller body
  audit::MaskRule mask;
  // Credentials that an origin repeats are taken out of its answer.
  bool mask_echoes{true};
  // Whether sources of credentials may ask for tokens, over this road. Where not (a simulation),
  // they give stand-ins.
  bool fetch_tokens{true};
  egress::SocketConnector* sockets{nullptr};  // null: there are no WebSockets on this road
  // For messages to MCP servers, which are short and many: it sends on the caller's own loop. Null:
  // they go like everything else.
  egress::OnLoopConnector* on_loop{nullptr};
};

class EgressRoad final : public Road {
 public:
  // One resolver for each loop, in their order.
  EgressRoad(RoadParts parts, EventLoops const& loops,
             std::vector<std::unique_ptr<egress::Resolver>> resolvers);
  ~EgressRoad() override;

  Task<OutboundAnswer> send(Passage const& passage, OutboundRequest request) override;

  Task<std::unique_ptr<OutboundStream>> open(Passage passage, OutboundRequest request) override;

  Task<std::unique_ptr<OutboundSocket>> connect(Passage passage, SocketRequest request) override;

  Task<void> record_unsent(Passage const& passage, UnsentCall call) override;
  Result<audit::Receipt> begin_record(Passage const& passage, UnsentCall call,
                                      Executor loop) override;

  // All stages of the first hop but the sending. Nothing leaves but DNS questions and those of
  // policies (and, where the request asks for it, robots.txt); the call is not recorded.
  Task<Explanation> explain(Passage const& passage, OutboundRequest request);

  // Of one loop, on that loop, when its calls have ended: no look-up keeps it from ending, no token
  // that nobody waits for, and no connection that is kept.
  void stop(std::size_t loop) {
    token_client_.stop();
    lanes_[loop].resolver->stop();
    if (parts_.on_loop != nullptr) parts_.on_loop->stop(loops_.executor(loop));
  }

 private:
  // What one loop has for itself.
  struct Lane {
    std::unique_ptr<egress::Resolver> resolver;
    std::unique_ptr<RobotsCache> robots;
  };

  Lane& lane_of(Executor const& executor);

  RoadParts parts_;
  EventLoops const& loops_;
  std::vector<Lane> lanes_;
  RoadClient token_client_;
};

}  // namespace sallyport::pipeline
