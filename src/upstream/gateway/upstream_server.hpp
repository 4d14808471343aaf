// One server behind the gateway: sessions with it on the loops, and what it offers, kept up to date
// at home on one of them.
#pragma once

#include "src/base/event_loops.hpp"
#include "src/base/metrics.hpp"
#include "src/base/worker_pool.hpp"
#include "src/upstream/gateway/offer.hpp"
#include "src/upstream/session/interests.hpp"
#include "src/upstream/session/relay.hpp"
#include "src/upstream/session/session_pool.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sallyport::upstream {

class UpstreamServer final : public mcp::client::Observer {
 public:
  struct Parts {
    ServerSettings settings;
    std::string part;              // of names and URIs (AliasBook::part_of)
    http::Authorizer* authorizer;  // may be nothing
    pipeline::Road& road;
    EventLoops& loops;
    std::size_t home{0};
    ParkedErrands& parked;
    Metrics& metrics;
    WorkerPool& workers;  // thousands of definitions take longer than a loop may be kept
    // Which tools are to be held back, of those that pass the filter.
    std::function<Task<std::vector<std::string>>(json::Array definitions)> withhold;
    std::function<void()> on_change;                         // of offer or state; at home
    std::function<void(std::string const& uri)> on_updated;  // a resource; at home
  };

  // All that `parts` refers to outlives it.
  explicit UpstreamServer(Parts parts);
  UpstreamServer(UpstreamServer const&) = delete;
  UpstreamServer& operator=(UpstreamServer const&) = delete;
  ~UpstreamServer() override;

  std::string const& name() const noexcept { return parts_.settings.name; }
  std::string const& part() const noexcept { return parts_.part; }
  ServerTimes const& times() const noexcept { return parts_.settings.times; }
  Relay const& relay() const noexcept { return relay_; }

  // From any thread. The offer is null until there has been one; a failure leaves it.
  std::shared_ptr<Offer const> offer() const;
  ServerStatus status() const;
  // Counts a call, which ended with `outcome`. A call that is let in where somebody had to sign in,
  // or is not where all was well, is the first to know: the server is then looked at again.
  void note_call(Clock::time_point begun, Result<mcp::client::Outcome> const& outcome);

  // From any loop:
  void start();
  void look_again();  // at what it offers
  // A client wants to hear of a resource, by the URI that the server has for it, until the interest
  // is gone. Fails with LimitExceeded.
  Result<mcp::Interest> subscribe(std::string const& uri, std::string const& principal);
  // Once a second.
  void sweep();
  // Ends its sessions and programs.
  Task<void> stop();

  // mcp::client::Observer, on any loop.
  void heard(mcp::NotificationMessage const& message) override;
  void lost() override;

 private:
  std::shared_ptr<Errand> run(Errand::Job job, std::shared_ptr<Inbox> inbox);
  std::size_t loop_for(std::size_t caller, RequestContext const& about) const;
  SessionPool& pool_at_home() { return *pools_[parts_.home]; }

  Task<void> watch();
  Task<Offer> ask_for_offer();
  Task<void> take_what_there_is(Offer& offer);
  Task<void> take_tools(Offer& offer);
  Task<void> take_resources(Offer& offer);
  Task<void> take_prompts(Offer& offer);
  void note_listed(Offer& offer, std::chrono::milliseconds fresh_for) const;
  void publish(Result<Offer> offered);
  Async<void> wait_for_news(std::chrono::milliseconds longest);
  void doubt();
  void wish();
  Task<void> keep_subscriptions();
  Task<void> close_pool(std::size_t loop);

  struct Counters {
    Counter& calls;
    Counter& failures;
    Histogram& seconds;
    Gauge& up;
    Gauge& tools;
  };

  Parts parts_;
  Counters counters_;
  std::vector<std::unique_ptr<SessionPool>> pools_;  // by loop; of a program only at home
  Relay relay_;
  Executor home_;
  Signal news_;
  bool has_news_{false};
  std::shared_ptr<Interests> interests_;  // subscriptions of sessions with us may outlive it
  Signal wishes_;
  bool has_wishes_{false};  // other interests than the server was told of
  bool in_doubt_{false};    // whether its state is what was seen last
  bool stopping_{false};
  std::atomic<bool> needs_sign_in_{false};  // as in status_, for every call
  std::atomic<bool> is_stateless_{false};   // of the new era
  mutable std::mutex mutex_;                // guards the next two, for the copy of a pointer
  std::shared_ptr<Offer const> offer_;
  ServerStatus status_;
  TaskGroup group_;  // at home
};

}  // namespace sallyport::upstream
