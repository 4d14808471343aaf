// What a command needs to visit servers: a loop, the road out with its log, grants, and an end with
// Ctrl+C.
#pragma once

#include "src/app/road_out.hpp"
#include "src/base/event_loops.hpp"
#include "src/base/metrics.hpp"
#include "src/config/settings.hpp"
#include "src/oauth/upstream/grant_store.hpp"
#include "src/oauth/upstream/upstream_authorizer.hpp"

#include <boost/asio/signal_set.hpp>

#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace sallyport::app::servers {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kInterrupted = 130;

class Visit {
 public:
  // Fails as the audit log and the road out do. `settings` outlives it.
  static Result<std::unique_ptr<Visit>> create(config::Settings const& settings);
  Visit(Visit const&) = delete;
  Visit& operator=(Visit const&) = delete;

  config::Settings const& settings() const noexcept { return settings_; }
  EventLoops& loops() noexcept { return loops_; }
  Metrics& metrics() noexcept { return metrics_; }
  pipeline::EgressRoad& road() noexcept { return road_->road(); }

  // Before drive(), for who will ask for them: a locked keyring waits for its user, who is told on
  // `err`, and no loop waits with it. Fails as open_grants() does.
  Result<void> prepare_grants(std::ostream& err);
  // Opened now where they are not prepared. Fails as open_grants() does.
  Result<oauth::upstream::GrantStore*> grants();
  // For what signing in to the server takes (sign_in_client.hpp).
  http::Client& token_client(config::McpServerSettings const& server);

  // Runs it, once, to its end, or until Ctrl+C: then it is cancelled. The exit code.
  int drive(Task<int> task);

 private:
  explicit Visit(config::Settings const& settings)
      : settings_{settings}, signals_{loops_.executor(0)} {}

  Task<void> finish_with(Task<int> task);
  Task<void> wait_for_signals(TaskGroup& group);

  config::Settings const& settings_;
  Metrics metrics_;
  EventLoops loops_{1};
  std::unique_ptr<audit::Sink> audit_;
  std::unique_ptr<RoadOut> road_;
  std::map<std::string, std::unique_ptr<pipeline::RoadClient>> token_clients_;  // by server
  std::unique_ptr<oauth::upstream::GrantStore> grants_;
  asio::basic_signal_set<Executor> signals_;
  bool interrupted_{false};
  int code_{kFailed};
};

// "docs" → its settings. Fails with NotFound, naming those that there are.
Result<config::McpServerSettings const*> find_server(config::Settings const& settings,
                                                     std::string_view name);

// The URL, without its query, or the command with its arguments.
std::string where_of(upstream::ServerSettings const& server);

}  // namespace sallyport::app::servers
