#include "src/base/worker_pool.hpp"

namespace sallyport {

WorkerPool::WorkerPool(std::size_t threads, std::size_t waiting) : waiting_{waiting} {
  threads_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard const lock{mutex_};
    closing_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

bool WorkerPool::submit(std::function<void()> job) {
  {
    std::lock_guard const lock{mutex_};
    if (jobs_.size() >= waiting_) return false;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

void WorkerPool::serve() {
  while (true) {
    std::function<void()> job;
    {
      std::unique_lock lock{mutex_};
      changed_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace sallyport
