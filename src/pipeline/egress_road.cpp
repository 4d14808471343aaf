#include "src/pipeline/egress_road.hpp"

#include "src/pipeline/egress_socket.hpp"
#include "src/pipeline/egress_stream.hpp"
#include "src/pipeline/journey.hpp"
#include "src/pipeline/keep_record.hpp"
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
  Journey journey{parts_,  *lane.resolver,     {*lane.robots, *this, tokens},
                  passage, std::move(request), Manner::Whole};
  auto arrived = co_await capture(journey.run());
  // Who gives up on a call does not keep it out of the log: from here on nothing is interrupted.
  // Here and not in keep_record(): a coroutine that was cancelled may not even begin to wait for
  // another.
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation(),
                                                     asio::disable_cancellation());
  auto const failure = arrived ? std::nullopt : std::optional{arrived.error()};
  SP_CO_CHECK(co_await keep_record(parts_.audit, journey.take_record(failure)));
  if (failure) co_return *failure;
  co_return journey.take_answer(std::move(*arrived));
}

Task<std::unique_ptr<OutboundStream>> EgressRoad::open(Passage passage, OutboundRequest request) {
  SP_CO_CHECK(parts_.audit.ready());
  auto& lane = lane_of(co_await asio::this_coro::executor);
  auto* const tokens = parts_.fetch_tokens ? &token_client_ : nullptr;
  Helpers const helpers{*lane.robots, *this, tokens};
  auto stream = std::make_unique<EgressStream>(parts_, *lane.resolver, helpers, std::move(passage),
                                               std::move(request));
  auto const arrived = co_await capture(stream->arrive());
  if (arrived && stream->is_recorded_once()) {
    co_return std::unique_ptr<OutboundStream>{std::move(stream)};
  }
  // As in send(). If it was given up, or its record is lost, the stream records its own end.
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation(),
                                                     asio::disable_cancellation());
  SP_CO_CHECK(co_await keep_record(parts_.audit, stream->first_record(arrived), stream->keeping()));
  if (!arrived) co_return arrived.error();
  co_return std::unique_ptr<OutboundStream>{std::move(stream)};
}

Task<std::unique_ptr<OutboundSocket>> EgressRoad::connect(Passage passage, SocketRequest request) {
  if (parts_.sockets == nullptr) co_return co_await Road::connect(passage, std::move(request));
  SP_CO_CHECK(parts_.audit.ready());
  auto& lane = lane_of(co_await asio::this_coro::executor);
  auto* const tokens = parts_.fetch_tokens ? &token_client_ : nullptr;
  Helpers const helpers{*lane.robots, *this, tokens};
  auto socket = std::make_unique<EgressSocket>(parts_, *lane.resolver, helpers, std::move(passage),
                                               std::move(request));
  auto const arrived = co_await capture(socket->arrive());
  // As in open().
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation(),
                                                     asio::disable_cancellation());
  SP_CO_CHECK(co_await keep_record(parts_.audit, socket->first_record(arrived)));
  if (!arrived) co_return arrived.error();
  co_return std::unique_ptr<OutboundSocket>{std::move(socket)};
}

Task<void> EgressRoad::record_unsent(Passage const& passage, UnsentCall call) {
  SP_CO_CHECK(parts_.audit.ready());
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation(),
                                                     asio::disable_cancellation());
  co_return co_await keep_record(parts_.audit, unsent_record(passage, call, parts_.mask));
}

Result<audit::Receipt> EgressRoad::begin_record(Passage const& passage, UnsentCall call,
                                                Executor loop) {
  SP_CHECK(parts_.audit.ready());
  return parts_.audit.begin(unsent_record(passage, call, parts_.mask), loop);
}

Task<Explanation> EgressRoad::explain(Passage const& passage, OutboundRequest request) {
  auto& lane = lane_of(co_await asio::this_coro::executor);
  Journey journey{parts_,  *lane.resolver,     {*lane.robots, *this, nullptr},
                  passage, std::move(request), Manner::Whole};
  Explanation explanation;
  co_await journey.rehearse(explanation.steps);
  co_return explanation;
}

}  // namespace sallyport::pipeline
