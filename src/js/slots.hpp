// How many scripts run at once, and how many wait for that.
#pragma once

#include "src/base/one_shot_event.hpp"
#include "src/base/task.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

namespace sallyport::js {

class Slots {
 public:
  Slots(std::size_t slots, std::size_t queue) : free_{slots}, queue_{queue} {}

  // Given back when it goes.
  class Slot {
   public:
    explicit Slot(Slots* owner = nullptr) noexcept : owner_{owner} {}
    Slot(Slot&& other) noexcept : owner_{std::exchange(other.owner_, nullptr)} {}
    Slot& operator=(Slot&& other) noexcept {
      std::swap(owner_, other.owner_);
      return *this;
    }
    ~Slot() {
      if (owner_ != nullptr) owner_->give_back();
    }

   private:
    Slots* owner_;
  };

  // From any loop, first come, first served. Fails with LimitExceeded when too many wait already
  // or when the wait was too long, and with Cancelled.
  Task<Slot> take(std::chrono::milliseconds longest_wait);

 private:
  struct Waiter {
    std::shared_ptr<OneShotEvent> event;
    bool has_slot{false};
  };

  void give_back();

  std::mutex mutex_;
  std::size_t free_;
  std::size_t const queue_;
  std::deque<std::shared_ptr<Waiter>> waiters_;
};

}  // namespace sallyport::js
