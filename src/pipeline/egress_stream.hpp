// A stream on the road as it is built: a journey that has arrived, and the body behind it.
//
// Private to this module.
#pragma once

#include "src/pipeline/journey.hpp"
#include "src/pipeline/keep_record.hpp"
#include "src/pipeline/outbound_stream.hpp"

#include <memory>
#include <optional>
#include <string>

namespace sallyport::pipeline {

class EgressStream final : public OutboundStream {
 public:
  EgressStream(RoadParts const& parts, egress::Resolver& resolver, Helpers helpers, Passage passage,
               OutboundRequest request);
  ~EgressStream() override;
  EgressStream(EgressStream const&) = delete;
  EgressStream& operator=(EgressStream const&) = delete;

  // First of all: to the head of the answer.
  Task<void> arrive();
  // Whether nobody waits for a record before the end. So it is with the answer to a message, unless
  // it is a stream of events, which are handed on one by one.
  bool is_recorded_once() noexcept;
  // Once, after that, given how it went, unless it is recorded once.
  audit::Record first_record(Result<void> const& arrived);
  Keeping keeping() const noexcept { return keeping_; }

  url::Url const& url() const noexcept override { return arrival_->url; }
  bool redirected() const noexcept override { return journey_.redirected(); }
  egress::ResponseHead& head() noexcept override { return arrival_->exchange->head(); }
  Task<std::optional<std::string>> next() override;
  Task<void> close() override;
  egress::ExchangeStats stats() const override { return arrival_->exchange->stats(); }

 private:
  // Which record comes next.
  enum class Owed { First, Closing, Only, None };

  Task<std::string> read();
  Task<void> keep_end(std::optional<Error> failure);
  audit::Record take_closing_record(std::optional<Error> failure);

  RoadParts const& parts_;
  Passage const passage_;
  Journey journey_;
  std::optional<Arrival> arrival_;  // once it has arrived
  EchoStream echoes_;
  Keeping const keeping_;
  Owed owed_{Owed::First};
  std::optional<Error> failure_;  // with which it is over
};

}  // namespace sallyport::pipeline
