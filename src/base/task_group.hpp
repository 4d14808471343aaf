// Owns the coroutines that a component starts and does not await.
//
// Such a coroutine must not outlive what it uses. So it belongs to a group, the group belongs to
// the component, and the component is not destroyed before join() has returned. Outside tests,
// nothing else in the product calls co_spawn but this and event_loops.hpp.
#pragma once

#include "src/base/task.hpp"

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>

#include <cstddef>
#include <functional>
#include <list>
#include <string_view>

namespace sallyport {

// Use it from the thread of its executor only.
class TaskGroup {
 public:
  // Told about each child that failed for another reason than cancellation.
  using OnFailure = std::function<void(std::string_view child, Error const& error)>;

  TaskGroup(Executor executor, OnFailure on_failure);
  ~TaskGroup();
  TaskGroup(TaskGroup const&) = delete;
  TaskGroup& operator=(TaskGroup const&) = delete;

  // A started child, to stop it alone. Valid until the child ends; ask the child's owner.
  using Child = std::list<asio::cancellation_signal>::iterator;

  // Starts `task`: it runs at once, until it first waits. What it refers to must live until join()
  // has returned. `name` must be a literal or live as long.
  Child spawn(std::string_view name, Task<void> task);

  // Asks the children to stop. `total`: finish the exchange at hand and take no other (a child
  // reads this from its cancellation state); `terminal`: give up at once.
  void stop(asio::cancellation_type how);

  // Returns when the last child has ended. Starts nothing and stops nothing.
  Async<void> join();

  std::size_t size() const noexcept { return children_.size(); }

 private:
  Executor executor_;
  OnFailure on_failure_;
  std::list<asio::cancellation_signal> children_;
  Timer idle_;  // never expires; cancelled to wake join()
};

}  // namespace sallyport
