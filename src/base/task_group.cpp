#include "src/base/task_group.hpp"

#include "src/base/assert.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>

#include <utility>

namespace sallyport {
namespace {

Task<void> run_child(Task<void> task) {
  // A child sees both signals but only `terminal` interrupts the operation it waits for, and
  // neither makes its next co_await throw: it has to be able to say goodbye.
  co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation(),
                                                     asio::enable_terminal_cancellation());
  co_await asio::this_coro::throw_if_cancelled(false);
  co_return co_await capture(std::move(task));
}

}  // namespace

TaskGroup::TaskGroup(Executor executor, OnFailure on_failure)
    : executor_{executor},
      on_failure_{std::move(on_failure)},
      idle_{executor_, Timer::time_point::max()} {}

TaskGroup::~TaskGroup() {
  SP_ASSERT(children_.empty(), "a TaskGroup is joined before it goes");
}

TaskGroup::Child TaskGroup::spawn(std::string_view name, Task<void> task) {
  auto const child = children_.emplace(children_.end());
  auto on_done = [this, child, name](std::exception_ptr, Result<void> result) {
    children_.erase(child);
    if (!result && result.error().code != Errc::Cancelled) on_failure_(name, result.error());
    if (children_.empty()) idle_.cancel();
  };
  asio::co_spawn(executor_, run_child(std::move(task)),
                 asio::bind_cancellation_slot(child->slot(),
                                              asio::bind_executor(executor_, std::move(on_done))));
  return child;
}

void TaskGroup::stop(asio::cancellation_type how) {
  // A child may end, and leave the list, while it is told.
  for (auto child = children_.begin(); child != children_.end();) (child++)->emit(how);
}

Async<void> TaskGroup::join() {
  while (!children_.empty()) {
    co_await idle_.async_wait(use_tuple);
  }
}

}  // namespace sallyport
