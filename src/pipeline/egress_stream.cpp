#include "src/pipeline/egress_stream.hpp"

#include "src/egress/answer_rules.hpp"
#include "src/pipeline/passage_record.hpp"

#include <boost/asio/cancellation_state.hpp>

#include <utility>

namespace sallyport::pipeline {
namespace {

Error left_early() {
  return fail(Errc::Cancelled, "The stream was closed before its end.");
}

}  // namespace

EgressStream::EgressStream(RoadParts const& parts, egress::Resolver& resolver, Helpers helpers,
                           Passage passage, OutboundRequest request)
    : parts_{parts},
      passage_{std::move(passage)},
      journey_{parts, resolver, helpers, passage_, std::move(request), Manner::Stream},
      echoes_{journey_.echoes()},
      keeping_{passage_.request->is_recorded ? Keeping::WaitsElsewhere : Keeping::Waits} {}

// Also of a coroutine that is destroyed instead of ended, on whatever thread.
EgressStream::~EgressStream() {
  if (owed_ == Owed::First) parts_.audit.post(first_record(left_early()));
  if (owed_ == Owed::Closing || owed_ == Owed::Only) {
    parts_.audit.post(take_closing_record(left_early()));
  }
}

Task<void> EgressStream::arrive() {
  SP_CO_TRY(arrival_, co_await journey_.run());
  co_return Result<void>{};
}

bool EgressStream::is_recorded_once() noexcept {
  if (!is_message(passage_) || egress::is_event_stream(head())) return false;
  owed_ = Owed::Only;
  return true;
}

audit::Record EgressStream::first_record(Result<void> const& arrived) {
  owed_ = arrived ? Owed::Closing : Owed::None;
  return arrived ? journey_.opened_record() : journey_.take_record(arrived.error());
}

audit::Record EgressStream::take_closing_record(std::optional<Error> failure) {
  auto const owed = std::exchange(owed_, Owed::None);
  failure_ = std::move(failure);
  if (owed == Owed::Only) return journey_.take_only_record(failure_, stats());
  return journey_.take_closed_record(failure_, stats());
}

Task<std::optional<std::string>> EgressStream::next() {
  if (owed_ == Owed::None && failure_) co_return *failure_;
  if (owed_ == Owed::None) co_return std::optional<std::string>{};
  auto piece = co_await capture(read());
  if (piece && !piece->empty()) co_return std::optional{std::move(*piece)};
  // Who gives up on a stream does not keep its end out of the log; see EgressRoad::send.
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation(),
                                                     asio::disable_cancellation());
  auto kept = co_await keep_end(piece ? std::nullopt : std::optional{piece.error()});
  if (!kept) failure_ = std::move(kept).error();
  if (failure_) co_return *failure_;
  co_return std::optional<std::string>{};
}

Task<std::string> EgressStream::read() {
  for (;;) {
    SP_CO_TRY(auto piece, co_await arrival_->exchange->read());
    if (piece.empty()) co_return echoes_.finish();
    auto text = echoes_.pass(std::move(piece));
    if (!text.empty()) co_return text;
  }
}

Task<void> EgressStream::close() {
  if (owed_ == Owed::None) co_return Result<void>{};
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation(),
                                                     asio::disable_cancellation());
  co_return co_await keep_end(left_early());
}

// Called with cancellation disabled.
Task<void> EgressStream::keep_end(std::optional<Error> failure) {
  co_await arrival_->exchange->end();  // now all of its bytes are counted
  co_return co_await keep_record(parts_.audit, take_closing_record(std::move(failure)), keeping_);
}

}  // namespace sallyport::pipeline
