// The part of the server that lives on one event loop: its acceptor, its connections, its clock.
//
// One timer per loop serves every timeout of every connection: a connection notes until when it
// will wait, and the loop looks through all of them a few times per shortest limit. A request so
// costs no timer of its own, and a limit may be exceeded by a quarter.
#pragma once

#include "src/base/task_group.hpp"
#include "src/net/exchange.hpp"
#include "src/net/http_server.hpp"
#include "src/net/server_metrics.hpp"
#include "src/net/wire.hpp"

#include <atomic>
#include <ctime>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::net {

class Connection;

using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, Executor>;

// What all loops of a server share; never changed after the start but for the count.
struct ServerShared {
  ServerLimits limits;
  Handler handler;
  ServerMetrics metrics;
  std::unique_ptr<asio::ssl::context> tls;
  std::atomic<std::size_t> connections{0};
  std::atomic<std::size_t> turned_away{0};  // those that are being told 503
};

// Use it from its loop only, but for construction.
class LoopServer {
 public:
  LoopServer(Executor executor, ServerShared& shared, std::optional<Acceptor> acceptor);
  LoopServer(LoopServer const&) = delete;
  LoopServer& operator=(LoopServer const&) = delete;
  ~LoopServer();

  void start();
  // Serves a connection that somebody else accepted.
  void adopt(Socket socket);

  // Once; `on_done` is called on this loop when nothing of this object runs any more.
  void stop(Clock::time_point cut_at, std::function<void()> on_done);
  // The grace period ends earlier after all.
  void hasten(Clock::time_point cut_at);

  bool stopping() const noexcept { return stopping_; }
  ServerShared& shared() const noexcept { return shared_; }
  Executor executor() const noexcept { return executor_; }

  // The value of a Date field, made at most once per second.
  std::string_view date();
  // Unique in the process, written into `id`.
  void mint_request_id(std::string& id);

  using Place = std::list<Connection*>::iterator;
  Place enter(Connection& connection);
  void leave(Place place);

 private:
  Task<void> accept(Acceptor& acceptor);
  Task<void> oversee();
  Task<void> serve(Socket socket);
  Task<void> turn_away(Socket socket);
  void sweep(Clock::time_point now);

  Executor executor_;
  ServerShared& shared_;
  std::optional<Acceptor> acceptor_;
  std::list<Connection*> connections_;
  Timer tick_;
  Clock::duration tick_length_;
  bool started_{false};
  bool stopping_{false};
  Clock::time_point cut_at_{Clock::time_point::max()};
  std::function<void()> on_done_;
  std::time_t date_second_{0};
  std::string date_;
  std::string id_prefix_;
  std::uint64_t next_id_{0};
  TaskGroup serving_;    // the acceptor and the connections
  TaskGroup overseers_;  // outlives serving_: it joins it
};

}  // namespace sallyport::net
