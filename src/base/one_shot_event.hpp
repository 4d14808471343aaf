// Something that happens once, on any thread, and that coroutines of any loop wait for.
//
// Loops share no state but immutable snapshots; this is the exception for the moment at which one
// becomes available. Whoever waits may be gone when it happens, loop and all, and whoever makes it
// happen may be gone before anyone waits.
#pragma once

#include "src/base/task.hpp"

#include <list>
#include <memory>
#include <mutex>

namespace sallyport {

enum class Wakeup { Happened, DeadlinePassed, Cancelled };

class OneShotEvent : public std::enable_shared_from_this<OneShotEvent> {
 public:
  static std::shared_ptr<OneShotEvent> make();

  // From any thread. What was written before is visible to whoever was told Happened.
  void set();

  // Keep a shared_ptr to the event until the task has ended.
  Async<Wakeup> wait(Deadline deadline = {});

 private:
  struct Waiter {
    Executor executor;
    Timer* timer;  // touched on its own loop only
  };
  using Waiters = std::list<Waiter>;

  // A place in the list, as long as the coroutine waits: also when it is destroyed with its loop.
  class Waiting {
   public:
    Waiting(OneShotEvent& event, Executor const& executor, Timer& timer);
    ~Waiting();
    Waiting(Waiting const&) = delete;
    Waiting& operator=(Waiting const&) = delete;

   private:
    OneShotEvent& event_;
    Waiters::iterator place_;
  };

  OneShotEvent() = default;
  bool happened();
  void wake(Timer* timer);

  std::mutex mutex_;
  bool happened_{false};
  Waiters waiters_;
};

}  // namespace sallyport
