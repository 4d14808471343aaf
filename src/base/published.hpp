// A value that is replaced now and then and read all the time: settings that are loaded again, a
// policy whose file changed.
//
// Readers take no lock and touch no counter that others write: each thread holds the value that it
// saw last, and only looks whether there is a newer one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sallyport {

template <class T>
class Published {
 public:
  explicit Published(std::shared_ptr<T const> value) : value_{std::move(value)} {}
  Published(Published const&) = delete;
  Published& operator=(Published const&) = delete;

  void publish(std::shared_ptr<T const> value) {
    std::lock_guard const lock{mutex_};
    value_ = std::move(value);
    version_.fetch_add(1, std::memory_order_release);
  }

  // The latest, for as long as it is held.
  std::shared_ptr<T const> get() const {
    std::lock_guard const lock{mutex_};
    return value_;
  }

  // The latest. Good until this thread asks again; never keep it across a suspension.
  T const& here() const {
    thread_local std::vector<Held> all;
    for (auto& held : all) {
      if (held.owner == id_) return refreshed(held);
    }
    return refreshed(all.emplace_back(Held{.owner = id_}));
  }

 private:
  struct Held {
    std::uint64_t owner{0};
    std::uint64_t version{0};
    std::shared_ptr<T const> value;
  };

  T const& refreshed(Held& held) const {
    if (held.value == nullptr || held.version != version_.load(std::memory_order_acquire)) {
      std::lock_guard const lock{mutex_};
      held.value = value_;
      held.version = version_.load(std::memory_order_relaxed);
    }
    return *held.value;
  }

  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  std::uint64_t const id_{next_id()};  // an address could come back
  std::atomic<std::uint64_t> version_{1};
  mutable std::mutex mutex_;
  std::shared_ptr<T const> value_;
};

}  // namespace sallyport
