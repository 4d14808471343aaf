// Who wants to hear of changes, on one loop: `subscriptions/listen` requests and the standing
// streams of legacy sessions.
#pragma once

#include "src/mcp/event.hpp"
#include "src/mcp/outlet.hpp"
#include "src/mcp/session.hpp"

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>

namespace sallyport::mcp {

// What a listen request asked for and gets.
struct ListenFilter {
  bool tools{false};
  bool prompts{false};
  bool resources{false};
  std::set<std::string> uris;
  std::set<std::string> tasks;

  bool wants(Event const& event) const;
};

class Listeners {
 public:
  struct Listener {
    ListenFilter filter;
    json::Value subscription;  // the id of the listen request; on every message
    std::string owner;
    std::function<void(std::string message)> send;
  };

  using Handle = std::list<Listener>::iterator;

  Handle add(Listener listener) { return listening_.insert(listening_.end(), std::move(listener)); }
  void remove(Handle handle) { listening_.erase(handle); }

  void attach(std::shared_ptr<Session> session, Outlet& outlet);
  void detach(Outlet& outlet);
  // Ends the streams of a session that is over.
  void close_session(std::string const& session);
  // The same for sessions that were closed elsewhere: idle, or to make room for others.
  void close_ended_sessions();
  void close_all();

  void deliver(Event const& event);

 private:
  struct SessionStream {
    std::shared_ptr<Session> session;
    Outlet* outlet;
    std::uint64_t number;
    bool open{true};  // finish() was not called yet
  };

  template <class Predicate>
  void close_streams(Predicate const& is_over);

  void deliver_to_sessions(Event const& event);

  std::list<Listener> listening_;
  std::list<SessionStream> streams_;
};

// The notification for an event in the era's words; empty where the era has none.
std::string event_notification(Event const& event, json::Value const* subscription);

}  // namespace sallyport::mcp
