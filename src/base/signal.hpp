// A coroutine waits here until another one on the same loop has something for it.
#pragma once

#include "src/base/task.hpp"

namespace sallyport {

class Signal {
 public:
  explicit Signal(Executor executor) : timer_{executor, Timer::time_point::max()} {}

  void raise() { timer_.cancel(); }

  // Returns when it is raised, or fails with Cancelled. May also return for nothing: ask again.
  Task<void> wait() {
    // A child of a task group may have been stopped while it did something else; nothing would
    // interrupt a wait that begins after that.
    SP_CO_CHECK(co_await check_cancellation());
    co_await timer_.async_wait(use_tuple);
    co_return co_await check_cancellation();
  }

 private:
  static Task<void> check_cancellation() {
    auto const state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() == asio::cancellation_type::none) co_return Result<void>{};
    co_return fail(Errc::Cancelled, "The request was cancelled.");
  }

  Timer timer_;  // never expires
};

}  // namespace sallyport
