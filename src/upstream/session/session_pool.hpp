// The connections of one loop to one server: one for each principal, because an older server keeps
// state in a session that others must not see.
#pragma once

#include "src/upstream/session/connection.hpp"
#include "src/upstream/session/errand.hpp"

#include <map>
#include <memory>
#include <string>

namespace sallyport::upstream {

// Of one loop. close() must have returned before it is destroyed.
class SessionPool {
 public:
  struct Parts {
    ServerSettings const& settings;
    pipeline::Road& road;
    http::Authorizer* authorizer;  // may be nothing
    mcp::client::Observer& observer;
  };

  // `watches`: its main connection hears what the server says by itself.
  SessionPool(Parts parts, bool watches, Executor executor);
  SessionPool(SessionPool const&) = delete;
  SessionPool& operator=(SessionPool const&) = delete;

  // Our own, and everybody's where the server keeps no sessions.
  Connection& main() noexcept { return *main_; }

  // Starts it; whoever waits for it hears of it.
  void run(std::shared_ptr<Errand> const& errand);

  // What an older server and we agreed on: new connections need not find out.
  void learn(mcp::Revision revision) noexcept { revision_ = revision; }

  // Ends sessions that have not been used for a while.
  void sweep(Clock::time_point now);

  Async<void> close();

 private:
  std::shared_ptr<Connection> connection_for(Principal const& principal);
  std::shared_ptr<Connection> connect(bool watches);
  Task<mcp::client::Outcome> request(std::shared_ptr<Connection> connection,
                                     std::shared_ptr<Errand> errand);
  Task<void> end(std::shared_ptr<Connection> connection);

  Parts parts_;
  Executor executor_;
  std::optional<mcp::Revision> revision_;
  std::shared_ptr<Connection> main_;
  std::map<std::string, std::shared_ptr<Connection>> by_principal_;  // by Principal::key()
  TaskGroup group_;
};

}  // namespace sallyport::upstream
