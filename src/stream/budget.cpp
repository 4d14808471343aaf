#include "src/stream/budget.hpp"

#include <utility>

namespace sallyport::stream {

Budget::~Budget() = default;

void Budget::give_back(std::size_t bytes) {
  used_.fetch_sub(bytes);
  // Whoever begins to wait says so before it looks at what is used: one of the two sees the other.
  if (has_waiting_.load()) wake_if_room();
}

void Budget::wake_with_room(void const* stream, std::shared_ptr<OneShotEvent> event) {
  {
    std::lock_guard const lock{mutex_};
    waiting_.insert_or_assign(stream, std::move(event));
    has_waiting_.store(true);
  }
  wake_if_room();
}

void Budget::forget(void const* stream) {
  if (!has_waiting_.load()) return;
  std::lock_guard const lock{mutex_};
  waiting_.erase(stream);
  has_waiting_.store(!waiting_.empty());
}

// Everybody: who finds no room then waits again.
void Budget::wake_if_room() {
  decltype(waiting_) waiting;
  {
    std::lock_guard const lock{mutex_};
    if (!has_room()) return;
    waiting.swap(waiting_);
    has_waiting_.store(false);
  }
  for (auto const& [stream, event] : waiting) event->set();
}

}  // namespace sallyport::stream
