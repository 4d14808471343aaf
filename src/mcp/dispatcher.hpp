// One loop's part of the server: takes requests in, runs handlers, answers.
//
// Plain questions (lists, discovery) are answered before handle() returns, by functions. Calls of
// handlers run as children of the dispatcher's group.
#pragma once

#include "src/base/task_group.hpp"
#include "src/mcp/call.hpp"
#include "src/mcp/listeners.hpp"
#include "src/mcp/pending_replies.hpp"
#include "src/mcp/reply.hpp"
#include "src/mcp/server.hpp"

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

namespace sallyport::mcp {

class Dispatcher {
 public:
  Dispatcher(Server& server, std::size_t loop, std::shared_ptr<Registry const> registry);
  ~Dispatcher();

  // Takes a request in. The outlet hears the answer, now or later.
  void handle(Request request, Outlet& outlet);

  // Opens a session for `initialize`; the answer names what was agreed.
  struct Opened {
    std::shared_ptr<Session> session;  // nullptr: refused
    Answer answer;
  };
  Opened open_session(RequestMessage const& message, Principal const& principal);

  void handle_notification(NotificationMessage const& message, std::string const& cancel_scope);

  // The peer is gone. Modern: its request is cancelled. Legacy: the request goes on. The outlet is
  // not used any more.
  enum class PeerGone { Cancels, LeavesRunning };
  void abandon(Outlet& outlet, PeerGone what);

  // The server is stopping: a subscription behind that outlet comes to its end; other calls go on.
  void end_subscription(Outlet& outlet);

  // A stream that stands for a whole session (legacy GET, HTTP+SSE, stdio).
  void attach_stream(std::shared_ptr<Session> session, Outlet& outlet);
  void detach_stream(Outlet& outlet);

  SessionCache& sessions() noexcept { return sessions_; }
  Server& server() const noexcept { return server_; }
  std::size_t loop() const noexcept { return loop_; }

  // For calls and method files of this module:
  TaskStore& tasks() noexcept { return tasks_; }
  PendingReplies& replies() noexcept { return replies_; }
  Listeners& listeners() noexcept { return listeners_; }
  Registry const& registry() const noexcept { return *registry_; }
  // For whoever waits while it may be replaced.
  std::shared_ptr<Registry const> shared_registry() const noexcept { return registry_; }
  Replies const& format() const noexcept { return format_; }
  Executor executor() const { return executor_; }
  Async<void> task_event() { co_await task_changed_.async_wait(use_tuple); }
  void task_changed(TaskStore::Entry const& entry);
  void stop_call(Call& call, CancelReason reason);

  // For Server, on this loop:
  void deliver(Event const& event);
  void replace_registry(std::shared_ptr<Registry const> registry) {
    registry_ = std::move(registry);
  }
  void cancel(std::string const& key);  // of call_key()
  static std::string call_key(std::string const& scope, json::Value const& id);
  void end_session(std::string const& session);
  void sweep();
  Async<void> stop();

 private:
  using Work = Task<std::string> (*)(Dispatcher&, Call&);

  void start(Request request, Outlet& outlet, Work work);
  Task<void> run(Call& call, Work work);
  void conclude(Call& call, Result<std::string> outcome);
  Answer failure_answer(Call& call, Error const& error) const;
  std::string too_long(Call const& call) const;

  Server& server_;
  std::size_t loop_;
  Executor executor_;
  std::shared_ptr<Registry const> registry_;
  Replies format_;
  SessionCache sessions_;
  PendingReplies replies_;
  TaskStore tasks_;
  Listeners listeners_;
  Timer task_changed_;
  std::list<std::unique_ptr<Call>> calls_;
  std::unordered_map<std::string, Call*> by_id_;       // cancel scope and id
  std::unordered_map<std::string, std::size_t> load_;  // calls in flight per cancel scope
  TaskGroup group_;
  bool stopping_{false};
};

}  // namespace sallyport::mcp
