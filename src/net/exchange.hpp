// One request and the way to answer it. net/ implements it over a socket; handlers use nothing
// else.
//
// A handler answers exactly once: with respond(), or with begin(), any number of write() and end().
// All of it on the loop of the connection.
#pragma once

#include "src/base/task.hpp"
#include "src/http/message.hpp"

#include <functional>
#include <string_view>

namespace sallyport::net {

class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual http::ServerRequest& request() noexcept = 0;

  // The whole answer at once. Fails with Cancelled when the peer is gone.
  virtual Task<void> respond(http::Response response) = 0;

  // An answer in pieces (chunked; HTTP/1.0: until close). `response.body` is the first piece.
  // write() returns when the piece has been handed to the kernel: that is the back pressure. It
  // fails when the peer is gone or takes longer than the write timeout for one piece.
  virtual Task<void> begin(http::Response response) = 0;
  virtual Task<void> write(std::string_view piece) = 0;
  virtual Task<void> end() = 0;

  // Calls `on_gone` once, on this loop, when the peer closes or resets the connection before the
  // answer is complete. Costs a system call: ask only when the answer takes long. `on_gone` is
  // dropped when the handler returns. A request that the peer pipelines meanwhile is kept.
  virtual void watch_disconnect(std::function<void()> on_gone) = 0;

  // True once the server was told to stop: a long answer should come to its end.
  virtual bool stopping() const noexcept = 0;

  // Calls `on_stop` once, on this loop, when the server is told to stop. Dropped like on_gone.
  virtual void watch_stop(std::function<void()> on_stop) = 0;
};

// Called for each request, on the loop that accepted the connection. The exchange outlives the
// coroutine. A failure or exception that leaves it before an answer began becomes a 500.
using Handler = std::function<Async<void>(Exchange&)>;

}  // namespace sallyport::net
