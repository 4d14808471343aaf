// Threads for work that would keep an event loop busy for too long: some ten milliseconds and more.
//
// The work is a plain function that owns what it uses. Whoever waits for it resumes on their own
// loop; when they stop waiting, work that has not begun never does, and the result of the rest is
// dropped.
#pragma once

#include "src/base/assert.hpp"
#include "src/base/one_shot_event.hpp"
#include "src/base/task.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace sallyport {

class WorkerPool {
  template <class T>
  struct ValueOf {
    using Type = T;
  };
  template <class T>
  struct ValueOf<Result<T>> {
    using Type = T;
  };

 public:
  // `waiting`: how many works may wait for a free thread.
  WorkerPool(std::size_t threads, std::size_t waiting);
  ~WorkerPool();  // does what waits, then joins
  WorkerPool(WorkerPool const&) = delete;
  WorkerPool& operator=(WorkerPool const&) = delete;

  // Runs `work` in one of the threads; it must not throw, and may give a Result. Fails as that
  // does, with LimitExceeded when too many wait already, with DeadlineExceeded or Cancelled. From
  // any loop.
  template <class Work>
  Task<typename ValueOf<std::invoke_result_t<Work>>::Type> run(Work work, Deadline deadline = {}) {
    auto const job = std::make_shared<Job<Work>>(std::move(work));
    if (!submit([job] { job->perform(); })) {
      co_return fail(Errc::LimitExceeded, "The server is busy. Try again in a moment.");
    }
    Abandonment<Work> const abandonment{*job};
    auto const wakeup = co_await job->done->wait(deadline);
    switch (wakeup) {
      case Wakeup::Happened: co_return job->take();
      case Wakeup::Cancelled: co_return fail(Errc::Cancelled, "The request was cancelled.");
      case Wakeup::DeadlinePassed: break;
    }
    co_return fail(Errc::DeadlineExceeded, "The request took too long.");
  }

 private:
  template <class Work>
  struct Job {
    explicit Job(Work todo) : work{std::move(todo)} {}

    void perform() noexcept {
      if (abandoned) return;
      result.emplace(work());
      done->set();
    }
    // After `done`.
    std::invoke_result_t<Work> take() {
      SP_ASSERT(result.has_value(), "the result is written before the waiter wakes");
      return std::move(*result);
    }

    Work work;
    std::optional<std::invoke_result_t<Work>> result;
    std::shared_ptr<OneShotEvent> done = OneShotEvent::make();
    std::atomic<bool> abandoned{false};
  };

  // Also when the waiting coroutine is destroyed with its loop.
  template <class Work>
  class Abandonment {
   public:
    explicit Abandonment(Job<Work>& job) : job_{job} {}
    Abandonment(Abandonment const&) = delete;
    Abandonment& operator=(Abandonment const&) = delete;
    ~Abandonment() { job_.abandoned = true; }

   private:
    Job<Work>& job_;
  };

  bool submit(std::function<void()> job);
  void serve();

  std::size_t const waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool closing_{false};
  std::vector<std::thread> threads_;  // last: they use the rest
};

}  // namespace sallyport
