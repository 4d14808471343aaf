// What all views of one principal hold together: origins are held back beyond.
//
// From any thread. It may be used with the lock of a view held, and takes none itself.
#pragma once

#include "src/base/one_shot_event.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace sallyport::stream {

class Budget {
 public:
  explicit Budget(std::size_t limit) : limit_{limit} {}
  ~Budget();
  Budget(Budget const&) = delete;
  Budget& operator=(Budget const&) = delete;

  bool has_room() const noexcept { return used_.load() < limit_; }
  std::size_t used() const noexcept { return used_.load(); }

  void take(std::size_t bytes) noexcept { used_.fetch_add(bytes); }
  // Wakes those who wait, if there is room again.
  void give_back(std::size_t bytes);

  // `event` is set when there is room; at once, if there is now. Each stream has one such wait, the
  // last that it asked for.
  void wake_with_room(void const* stream, std::shared_ptr<OneShotEvent> event);
  void forget(void const* stream);

 private:
  void wake_if_room();

  std::size_t const limit_;
  std::atomic<std::size_t> used_{0};
  std::atomic<bool> has_waiting_{false};
  std::mutex mutex_;
  std::unordered_map<void const*, std::shared_ptr<OneShotEvent>> waiting_;
};

}  // namespace sallyport::stream
