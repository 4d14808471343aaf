#include "src/js/slots.hpp"

#include <algorithm>

namespace sallyport::js {

Task<Slots::Slot> Slots::take(std::chrono::milliseconds longest_wait) {
  auto const waiter = std::make_shared<Waiter>(Waiter{.event = OneShotEvent::make()});
  {
    std::lock_guard const lock{mutex_};
    if (free_ > 0) {
      --free_;
      co_return Slot{this};
    }
    if (waiters_.size() >= queue_) {
      co_return fail(Errc::LimitExceeded,
                     "Busy: too many scripts run and wait already. Try again in a moment.");
    }
    waiters_.push_back(waiter);
  }
  auto const wakeup = co_await waiter->event->wait(Deadline::in(longest_wait));
  {
    std::lock_guard const lock{mutex_};
    if (!waiter->has_slot) std::erase(waiters_, waiter);
  }
  // It may have come at the last moment: then it is ours, to keep or to give back.
  Slot slot{waiter->has_slot ? this : nullptr};
  if (wakeup == Wakeup::Cancelled) co_return fail(Errc::Cancelled, "The request was cancelled.");
  if (!waiter->has_slot) {
    co_return fail(Errc::LimitExceeded,
                   "Busy: other scripts took too long. Try again in a moment.");
  }
  co_return std::move(slot);
}

void Slots::give_back() {
  std::lock_guard const lock{mutex_};
  if (waiters_.empty()) {
    ++free_;
    return;
  }
  auto const next = std::move(waiters_.front());
  waiters_.pop_front();
  next->has_slot = true;
  next->event->set();
}

}  // namespace sallyport::js
