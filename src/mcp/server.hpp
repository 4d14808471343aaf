// The MCP server: what all event loops share. It does no I/O; transports feed its dispatchers.
#pragma once

#include "src/base/event_loops.hpp"
#include "src/base/metrics.hpp"
#include "src/base/sealer.hpp"
#include "src/mcp/event.hpp"
#include "src/mcp/message.hpp"
#include "src/mcp/registry.hpp"
#include "src/mcp/session.hpp"
#include "src/mcp/task_store.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sallyport::mcp {

class Dispatcher;

struct ServerInfo {
  std::string name{"sallyport"};
  std::string title;
  std::string version{SALLYPORT_VERSION};
};

struct ServerOptions {
  ServerInfo info;
  std::string instructions;
  // What `initialize` answers to a client that asks for a revision we do not have.
  Revision preferred_legacy{kLatestLegacy};
  std::size_t page_size{100};
  std::chrono::milliseconds cache_ttl{60'000};
  std::chrono::seconds call_timeout{300};
  std::chrono::seconds input_lifetime{600};  // of a sealed requestState, and of a question
  std::size_t calls_per_peer{256};           // in flight, per session or connection
  SessionDirectory::Limits sessions;
  TaskStore::Limits tasks;
};

class Server {
 public:
  // `loops`, `sealer`, `metrics` outlive the server.
  Server(ServerOptions options, std::shared_ptr<Registry const> registry, EventLoops& loops,
         Sealer const& sealer, Metrics& metrics);
  ~Server();
  Server(Server const&) = delete;
  Server& operator=(Server const&) = delete;

  // The dispatcher of a loop; use it on that loop only.
  Dispatcher& dispatcher(std::size_t loop) const noexcept { return *dispatchers_[loop]; }

  ServerOptions const& options() const noexcept { return options_; }
  EventLoops& loops() const noexcept { return loops_; }
  Sealer const& sealer() const noexcept { return sealer_; }
  SessionDirectory& sessions() noexcept { return sessions_; }

  // Before the first request: told, on any loop, which resources clients want to hear about, until
  // the interest that it gives is gone. May fail with LimitExceeded. `principal`: as its key().
  using OnSubscribe =
      std::function<Result<Interest>(std::string const& uri, std::string const& principal)>;
  void on_subscribe(OnSubscribe told) { told_ = std::move(told); }
  Result<Interest> subscribe(std::string const& uri, Principal const& principal) const {
    return told_ ? told_(uri, principal.key()) : Interest{};
  }

  // From any thread:

  // Tells every client that wants to know.
  void publish(Event event) const;
  // Replaces what is offered and tells the clients which lists changed.
  void replace_registry(std::shared_ptr<Registry const> registry);
  // Cancels a request wherever it runs.
  void cancel(std::string const& scope, json::Value const& id) const;
  // A legacy client's answer to a request of ours.
  void deliver_reply(std::string const& session, ResponseMessage reply) const;
  // Ends a session, its streams and its calls.
  void close_session(Session& session);

  // Ends what has outlived its limits: call once a second or so.
  void sweep();

  // Cancels every call on every loop and returns when the last has ended.
  Task<void> stop();

  struct Counters {
    Counter& calls;
    Counter& errors;
    Counter& cancelled;
    Histogram& seconds;
    Gauge& in_flight;
    Gauge& listeners;
  };
  Counters const& counters() const noexcept { return counters_; }

 private:
  ServerOptions options_;
  EventLoops& loops_;
  Sealer const& sealer_;
  Counters counters_;
  SessionDirectory sessions_;
  OnSubscribe told_;
  std::mutex mutex_;  // guards the next one
  std::shared_ptr<Registry const> registry_;
  std::vector<std::unique_ptr<Dispatcher>> dispatchers_;
};

}  // namespace sallyport::mcp
