// The event loops of the process: one io_context per thread, one thread per core.
//
// What is accepted on a loop stays on it: no strand, no lock. Loops share immutable snapshots only;
// whatever one loop wants from another is posted there as a value. An id that names state of a loop
// carries the loop's number, so every other loop knows where to ask.
#pragma once

#include "src/base/task.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace sallyport {

class EventLoops {
 public:
  explicit EventLoops(std::size_t count);
  ~EventLoops();  // stops and joins
  EventLoops(EventLoops const&) = delete;
  EventLoops& operator=(EventLoops const&) = delete;

  std::size_t size() const noexcept { return loops_.size(); }
  Executor executor(std::size_t loop) const { return loops_[loop]->context.get_executor(); }

  // Which loop an executor belongs to.
  std::size_t index_of(Executor const& executor) const noexcept;

  // Runs loop 0 in the calling thread and the others in threads of their own, until every loop has
  // nothing left to do and finish() was called.
  void run();

  // Lets the loops end once their work is done. From any thread.
  void finish();

  // Calls `action(loop)` on every loop's own thread.
  template <class Action>
  void on_each(Action const& action) const {
    for (std::size_t loop = 0; loop < size(); ++loop) {
      asio::post(executor(loop), [action, loop] { action(loop); });
    }
  }

 private:
  struct Loop {
    Loop() : context{1}, guard{context.get_executor()} {}
    asio::io_context context;
    asio::executor_work_guard<Executor> guard;
  };

  std::vector<std::unique_ptr<Loop>> loops_;
  std::vector<std::thread> threads_;
};

// Runs `task` on another loop and gives its result back here. The wait cannot be interrupted from
// this side (a cancellation signal must not cross threads), so `task` has to end by itself soon.
template <class T>
Task<T> run_on(Executor other, Task<T> task) {
  co_return co_await asio::co_spawn(
      other, std::move(task), asio::bind_cancellation_slot(asio::cancellation_slot{}, use_async));
}

// Starts `task` on a loop for more than one who waits for its outcome, so that none of them owns
// it: who gives up does not end it. It cannot be interrupted, so it has to end by itself soon; the
// loop does not end before. What it refers to must live as long. Whoever waits learns from `task`
// itself how it went.
inline void start_on(Executor loop, Task<void> task) {
  asio::co_spawn(loop, capture(std::move(task)), [](std::exception_ptr, Result<void> const&) {});
}

}  // namespace sallyport
