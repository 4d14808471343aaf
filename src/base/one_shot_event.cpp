#include "src/base/one_shot_event.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace sallyport {

std::shared_ptr<OneShotEvent> OneShotEvent::make() {
  return std::shared_ptr<OneShotEvent>{new OneShotEvent};
}

void OneShotEvent::set() {
  std::lock_guard const lock{mutex_};
  happened_ = true;
  // Under the lock: who is in the list still waits, so its loop is alive and may be posted to.
  for (auto const& waiter : waiters_) {
    asio::post(waiter.executor,
               [self = shared_from_this(), timer = waiter.timer] { self->wake(timer); });
  }
}

Async<Wakeup> OneShotEvent::wait(Deadline deadline) {
  Executor const executor = co_await asio::this_coro::executor;
  Timer timer{executor, deadline.at};
  Waiting const waiting{*this, executor, timer};
  if (happened()) co_return Wakeup::Happened;
  // A wake-up that is posted from here on runs on this loop, so after the timer has been started.
  auto const [interrupted] = co_await timer.async_wait(use_tuple);
  if (happened()) co_return Wakeup::Happened;
  co_return interrupted ? Wakeup::Cancelled : Wakeup::DeadlinePassed;
}

bool OneShotEvent::happened() {
  std::lock_guard const lock{mutex_};
  return happened_;
}

void OneShotEvent::wake(Timer* timer) {
  std::lock_guard const lock{mutex_};
  // The waiter may have left since; its timer is gone then.
  bool const waits = std::ranges::any_of(
      waiters_, [timer](Waiter const& waiter) { return waiter.timer == timer; });
  if (waits) timer->cancel();
}

OneShotEvent::Waiting::Waiting(OneShotEvent& event, Executor const& executor, Timer& timer)
    : event_{event} {
  std::lock_guard const lock{event_.mutex_};
  place_ = event_.waiters_.insert(event_.waiters_.end(), {executor, &timer});
}

OneShotEvent::Waiting::~Waiting() {
  std::lock_guard const lock{event_.mutex_};
  event_.waiters_.erase(place_);
}

}  // namespace sallyport
