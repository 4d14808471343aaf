// Port: the way from one request back to its peer. A transport implements it.
//
// Used on the loop of the request only. finish() is called once, possibly before handle() returns;
// nothing is sent after it. The transport calls Dispatcher::abandon() before an outlet goes whose
// request has not finished.
#pragma once

#include "src/mcp/rpc.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace sallyport::mcp {

class Outlet {
 public:
  virtual ~Outlet() = default;

  // A notification, or a request of ours, that belongs to the request.
  virtual void send(std::string message) = 0;

  // The answer. An empty body: there is none (the request was cancelled).
  virtual void finish(Answer answer) = 0;

  // Whether send() can reach the peer at all. A client that takes only a single JSON answer hears
  // no notifications and can be asked nothing.
  virtual bool can_send() const { return true; }

  // How much of what was sent waits for a peer that is slow to take it.
  virtual std::size_t unsent_bytes() const { return 0; }

  // Ends the connection, not the request: the peer may fetch the rest later. Does nothing where
  // there is no later.
  virtual void release(std::chrono::milliseconds /*come_back_after*/) {}
};

}  // namespace sallyport::mcp
