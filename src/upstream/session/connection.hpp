// The connection to one server: the way there and a client on it, made when they are first needed,
// and made anew where a program, or the event stream of an older server, has ended.
#pragma once

#include "src/http/authorizer.hpp"
#include "src/mcp/client/client.hpp"
#include "src/mcp/client/listing.hpp"
#include "src/pipeline/road.hpp"
#include "src/upstream/server_settings.hpp"
#include "src/upstream/session/restart_delay.hpp"

#include <memory>
#include <set>
#include <string>

namespace sallyport::upstream {

struct ConnectionOptions {
  // Hears what the server says by itself in either era; without it, only older servers are
  // listened to, since they may ask something there in the middle of a call.
  bool watches{false};
  // What was agreed on before, so that an older server is not probed again.
  std::optional<mcp::Revision> known_revision{};
};

// Of one loop. close() must have returned before it is destroyed.
class Connection {
 public:
  // All outlive it; `authorizer` may be nothing.
  Connection(ServerSettings const& settings, pipeline::Road& road, http::Authorizer* authorizer,
             mcp::client::Observer& observer, ConnectionOptions options, Executor executor);
  Connection(Connection const&) = delete;
  Connection& operator=(Connection const&) = delete;

  // As the functions of the same names do it for a client. Fail also with UpstreamFailed where the
  // program cannot be started, or is not yet to be started again.
  Task<std::shared_ptr<mcp::client::Agreement const>> connect();
  Task<mcp::client::Outcome> request(mcp::client::Ask ask,
                                     std::shared_ptr<mcp::client::Listener> listener);
  Task<mcp::client::Listing> list(std::string method, std::string member);

  // Which URIs the server is to tell about, from now on: of connections that watch. One call at a
  // time. What the server refuses is asked for again in its next session.
  Task<void> subscribe_to(std::set<std::string> uris);

  // Null where it is not connected.
  std::shared_ptr<mcp::client::Agreement const> agreement() const noexcept;
  // Whether a program or an event stream has ended, or a connection was never made.
  bool is_broken() const noexcept;
  // What the program wrote to standard error last. May have secrets: not for peers.
  std::string last_words() const;
  Clock::time_point last_used() const noexcept { return last_used_; }
  // Requests that have not ended.
  std::size_t in_use() const noexcept { return in_use_; }

  Async<void> close();

 private:
  class Line;

  Result<std::shared_ptr<Line>> line();
  Result<std::shared_ptr<Line>> open_line();
  void drop_dead_line();
  Task<void> bury(std::shared_ptr<Line> line);
  Task<void> listen(std::shared_ptr<Line> line);
  Async<void> lose(std::shared_ptr<Line> line);
  Async<void> subscribe_again(Line& line);
  void listen_to_others();
  Task<void> want_logs(Line& line, mcp::LogLevel level);
  void listen_once_connected(std::shared_ptr<Line> const& line);
  json::Object wanted_news() const;

  ServerSettings const& settings_;
  pipeline::Road& road_;
  http::Authorizer* authorizer_;
  mcp::client::Observer& observer_;
  ConnectionOptions options_;
  Executor executor_;
  std::shared_ptr<Line> line_;
  RestartDelay restarts_;
  std::set<std::string> uris_;
  Clock::time_point last_used_{Clock::now()};
  std::size_t in_use_{0};
  std::string last_words_;
  bool listen_anew_{false};
  bool closing_{false};
  TaskGroup group_;
};

// What we tell servers that we can do: relay whatever they ask to whoever is behind the call, and
// show the pages of MCP Apps.
json::Object relayed_capabilities();

}  // namespace sallyport::upstream
