#include "src/base/event_loops.hpp"

#include "src/base/assert.hpp"

namespace sallyport {

EventLoops::EventLoops(std::size_t count) {
  for (std::size_t loop = 0; loop < count; ++loop) loops_.push_back(std::make_unique<Loop>());
}

EventLoops::~EventLoops() {
  for (auto& loop : loops_) loop->context.stop();
  for (auto& thread : threads_) thread.join();
}

std::size_t EventLoops::index_of(Executor const& executor) const noexcept {
  std::size_t loop = 0;
  while (loop < loops_.size() && loops_[loop]->context.get_executor() != executor) ++loop;
  SP_ASSERT(loop < loops_.size(), "the executor is one of the loops'");
  return loop;
}

void EventLoops::run() {
  for (std::size_t loop = 1; loop < loops_.size(); ++loop) {
    threads_.emplace_back([this, loop] { loops_[loop]->context.run(); });
  }
  loops_[0]->context.run();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

void EventLoops::finish() {
  for (auto& loop : loops_) {
    asio::post(loop->context, [&loop] { loop->guard.reset(); });
  }
}

}  // namespace sallyport
