#include "src/pipeline/egress_road.hpp"

#include "src/base/log.hpp"
#include "src/pipeline/journey.hpp"
#include "src/pipeline/passage_record.hpp"

#include <boost/asio/cancellation_state.hpp>

#include <utility>

namespace sallyport::pipeline {
namespace {

constexpr auto* kTokenPurpose = "oauth token";

}  // namespace

EgressRoad::EgressRoad(RoadParts parts, EventLoops const& loops,
                       std::vector<std::unique_ptr<egress::Resolver>> resolvers)
    // No rule is for the request that gets a token: it could need that very token.
    : parts_{parts}, loops_{loops}, token_client_{*this, kTokenPurpose, false} {
  for (auto& resolver : resolvers)
    lanes_.push_back({std::move(resolver), std::make_unique<RobotsCache>()});
}

EgressRoad::~EgressRoad() = default;

EgressRoad::Lane& EgressRoad::lane_of(Executor const& executor) {
  return lanes_[loops_.index_of(executor)];
}

Task<OutboundAnswer> EgressRoad::send(Passage const& passage, OutboundRequest request) {
  SP_CO_CHECK(parts_.audit.ready());
  auto& lane = lane_of(co_await asio::this_coro::executor);
  auto* const tokens = parts_.fetch_tokens ? &token_client_ : nullptr;
  Journey journey{
      parts_, *lane.resolver, {*lane.robots, *this, tokens}, passage, std::move(request)};
  auto outcome = co_await capture(journey.run());
  // Who gives up on a call does not keep it out of the log: from here on nothing is interrupted.
  // Here and not in keep(): a coroutine that was cancelled may not even begin to wait for another.
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation(),
                                                     asio::disable_cancellation());
  SP_CO_CHECK(co_await keep(journey.take_record(outcome)));
  co_return outcome;
}

Task<void> EgressRoad::record_unsent(Passage const& passage, UnsentCall call) {
  SP_CO_CHECK(parts_.audit.ready());
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation(),
                                                     asio::disable_cancellation());
  co_return co_await keep(unsent_record(passage, call, parts_.mask));
}

// Called with cancellation disabled; notices it, and enables it again.
Task<void> EgressRoad::keep(audit::Record record) {
  auto const call_id = record.id;
  auto written = co_await parts_.audit.write(std::move(record));
  auto const state = co_await asio::this_coro::cancellation_state;
  bool const given_up = state.cancelled() != asio::cancellation_type::none;
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
  if (!written) {
    log::error("audit record not written; its answer is withheld",
               {{"call", call_id}, {"error", written.error().message}});
    co_return std::move(written).error();
  }
  if (given_up) co_return fail(Errc::Cancelled, "The request was cancelled.");
  co_return Result<void>{};
}

Task<Explanation> EgressRoad::explain(Passage const& passage, OutboundRequest request) {
  auto& lane = lane_of(co_await asio::this_coro::executor);
  Journey journey{
      parts_, *lane.resolver, {*lane.robots, *this, nullptr}, passage, std::move(request)};
  Explanation explanation;
  co_await journey.rehearse(explanation.steps);
  co_return explanation;
}

}  // namespace sallyport::pipeline
