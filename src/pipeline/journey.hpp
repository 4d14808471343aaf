// One call on its way: the stages in their order, hop by hop, and the record that is kept of it.
//
// Private to this module. Lives in the coroutine that sends, so nothing here is shared.
#pragma once

#include "src/audit/record.hpp"
#include "src/pipeline/echo_mask.hpp"
#include "src/pipeline/egress_road.hpp"
#include "src/pipeline/redirect.hpp"

#include <memory>
#include <optional>
#include <string>

namespace sallyport::pipeline {

// What a call needs of other calls.
struct Helpers {
  RobotsCache& robots;   // the memory of the loop,
  Road& road;            // and how to ask a site that is not in it
  http::Client* tokens;  // for sources of credentials; see credentials::Ask
};

// How the answer is handed over.
enum class Manner { Whole, Stream, Socket };

// The answer that the caller gets: its head, and its body as a whole or still behind it.
struct Arrival {
  url::Url url;
  std::unique_ptr<egress::Exchange> exchange;
  std::string body;
};

// A WebSocket that is open.
struct SocketArrival {
  url::Url url;
  std::unique_ptr<egress::Socket> socket;
};

// What only a WebSocket has.
struct SocketWish {
  std::vector<std::string> protocols;
  egress::SocketLimits limits;
};

class Journey {
 public:
  // `passage` outlives it; what `passage.request` points to is needed until it has arrived.
  Journey(RoadParts const& parts, egress::Resolver& resolver, Helpers helpers,
          Passage const& passage, OutboundRequest request, Manner manner);
  ~Journey();
  Journey(Journey const&) = delete;
  Journey& operator=(Journey const&) = delete;

  // All hops, to the answer that the caller gets; of a stream, to its head.
  Task<Arrival> run();
  // The same stages, to a WebSocket that is open.
  Task<SocketArrival> shake_hands(SocketWish wish);
  // Once, of a whole answer.
  OutboundAnswer take_answer(Arrival arrival);

  bool redirected() const noexcept { return hops_ > 0; }
  // Complete when it has arrived.
  EchoMask const& echoes() const noexcept { return echoes_; }

  // The stages before sending, for the first hop, each noted in `steps`; the last one is that which
  // refused.
  Async<void> rehearse(std::vector<Step>& steps);

  // Once, when it is over; without a failure it went well.
  audit::Record take_record(std::optional<Error> const& failure);
  // Of a stream or a socket: when it has arrived; and once, when it is over.
  audit::Record opened_record() const;
  audit::Record take_closed_record(std::optional<Error> const& failure,
                                   egress::ExchangeStats stats);
  // Of a stream that has one record only: once, when it is over.
  audit::Record take_only_record(std::optional<Error> const& failure, egress::ExchangeStats stats);

 private:
  Task<void> rehearse_stages();
  Result<url::Url> parse();
  Result<void> check_shape() const;
  Task<egress::JudgedAddresses> pass_stages(Hop const& hop, http::Headers& headers);
  Result<void> enter_limits(url::Url const& url);
  Task<void> inject_and_decide(Hop const& hop, http::Headers& headers);
  Async<bool> renew_credentials();
  Task<void> ask_robots(url::Url const& url, http::Headers const& headers);
  Task<egress::JudgedAddresses> resolve_and_judge(url::Url const& url);
  Task<std::unique_ptr<egress::Exchange>> transmit(Hop const& hop, http::Headers headers,
                                                   egress::JudgedAddresses addresses);
  Task<egress::Handshake> dial(Hop const& hop, SocketWish const& wish, http::Headers headers,
                               egress::JudgedAddresses addresses);
  Result<std::optional<Hop>> follow(Hop const& hop, egress::ResponseHead const& head);
  Task<void> leave(egress::Exchange& exchange);
  Task<std::string> read_whole(egress::Exchange& exchange);

  credentials::Ask ask() const { return {*passage_.request, helpers_.tokens, deadline_}; }
  egress::ExchangeLimits limits() const;
  egress::Connector& connector() const;
  // SECURITY: whoever answered chose where a redirect leads.
  bool is_named_by_settings() const noexcept { return request_.named_by_settings && hops_ == 0; }
  bool is_stream() const noexcept { return manner_ == Manner::Stream; }
  bool sends_whole() const noexcept { return !is_stream() && !request_.cut_long_body; }
  void count_bytes();
  void begin_hop(Hop const& hop);
  void note_answer(url::Url const& url, egress::ResponseHead const& head);
  void add_figures(audit::Record& record) const;
  void judge_record(std::optional<Error> const& failure);
  void enter(std::string_view stage) noexcept { stage_ = stage; }
  // What the stage at hand found. The text is only made where somebody reads it.
  template <class Text>
  void note(Text const& text) {
    if (steps_ != nullptr) steps_->push_back({stage_, true, text()});
  }

  RoadParts const& parts_;
  egress::Resolver& resolver_;
  Helpers helpers_;
  Passage const& passage_;
  OutboundRequest request_;
  Manner const manner_;
  Clock::time_point const started_{Clock::now()};
  Deadline const deadline_;                 // of everything; of a stream: until its head
  Deadline const stream_deadline_;          // of its end
  std::optional<egress::Guard> own_guard_;  // where the request has holes of its own
  egress::Guard const& guard_;
  Limiter::Slot slot_;
  audit::Record record_;
  EchoMask echoes_;
  credentials::Injection injection_;  // of the hop at hand
  bool renewed_{false};               // credentials, once in a call
  bool keeps_slot_{false};            // for the attempt that comes after
  egress::ExchangeStats stats_;       // of the hop at hand
  bool sent_{false};                  // the hop at hand
  std::vector<std::string> allowed_by_;
  std::size_t hops_{0};
  std::string_view stage_{"parse"};  // the one at hand; see Step
  std::vector<Step>* steps_{nullptr};
};

}  // namespace sallyport::pipeline
