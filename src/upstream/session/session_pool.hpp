// The connections of one loop to one server. An older server keeps state in a session that others
// must not see: each session of a client with us has one of its own there, and so has each
// principal whose client has none.
#pragma once

#include "src/upstream/session/connection.hpp"
#include "src/upstream/session/errand.hpp"

#include <map>
#include <memory>
#include <string>

namespace sallyport::upstream {

// Whose session a request belongs to; empty: nobody's, who is told apart from nobody.
std::string session_key(RequestContext const& about);

// Of one loop. close() must have returned before it is destroyed.
class SessionPool {
 public:
  struct Parts {
    ServerSettings const& settings;
    pipeline::Road& road;
    http::Authorizer* authorizer;  // may be nothing
    mcp::client::Observer& observer;
  };
  // At either limit, the session of the principal that has been unused longest makes room.
  struct Limits {
    std::size_t sessions{1'000};
    std::size_t of_principal{100};  // not of those who are told apart from nobody
  };

  // `watches`: its main connection hears what the server says by itself.
  SessionPool(Parts parts, Limits limits, bool watches, Executor executor);
  SessionPool(SessionPool const&) = delete;
  SessionPool& operator=(SessionPool const&) = delete;

  // Our own, and everybody's where the server keeps no sessions.
  Connection& main() noexcept { return *main_; }

  // Starts it; whoever waits for it hears of it.
  void run(std::shared_ptr<Errand> const& errand);

  // What an older server and we agreed on: new connections need not find out.
  void learn(mcp::Revision revision) noexcept { revision_ = revision; }

  // Besides main().
  std::size_t sessions() const noexcept { return sessions_.size(); }

  // Ends sessions that have not been used for a while.
  void sweep(Clock::time_point now);

  Async<void> close();

 private:
  struct Session {
    std::string principal;  // Principal::key()
    std::shared_ptr<Connection> connection;
  };
  using Sessions = std::map<std::string, Session>;  // by session_key()

  std::shared_ptr<Connection> connection_for(RequestContext const& about);
  std::shared_ptr<Connection> connect(bool watches);
  bool is_full_for(std::string const& principal) const;
  bool make_room_for(std::string const& principal);
  Sessions::iterator drop(Sessions::iterator session);
  Task<mcp::client::Outcome> request(std::shared_ptr<Connection> connection,
                                     std::shared_ptr<Errand> errand);
  Task<void> end(std::shared_ptr<Connection> connection);

  Parts parts_;
  Limits limits_;
  Executor executor_;
  std::optional<mcp::Revision> revision_;
  std::shared_ptr<Connection> main_;
  Sessions sessions_;
  TaskGroup group_;
};

}  // namespace sallyport::upstream
