#include "src/base/event_loops.hpp"

#include "src/base/task_group.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

namespace sallyport {
namespace {

void ignore_failure(std::string_view, Error const&) {}

Task<std::thread::id> thread_here() {
  co_return std::this_thread::get_id();
}

Task<void> ask_the_other_loop(EventLoops& loops, std::vector<std::thread::id>& seen) {
  SP_CO_TRY(auto const there, co_await run_on(loops.executor(1), thread_here()));
  seen = {there, std::this_thread::get_id()};
  loops.finish();
  co_return Result<void>{};
}

TEST(EventLoops, RunOnWorksThereAndResumesHere) {
  EventLoops loops{2};
  std::vector<std::thread::id> seen;
  TaskGroup group{loops.executor(0), ignore_failure};
  group.spawn("asker", ask_the_other_loop(loops, seen));

  loops.run();

  ASSERT_EQ(seen.size(), 2u);
  EXPECT_NE(seen[0], seen[1]);
  EXPECT_EQ(seen[1], std::this_thread::get_id());
}

TEST(EventLoops, OnEachReachesEveryLoopOnItsOwnThread) {
  EventLoops loops{3};
  std::atomic<int> left{3};
  std::vector<std::thread::id> threads(3);
  loops.on_each([&](std::size_t loop) {
    threads[loop] = std::this_thread::get_id();
    if (--left == 0) loops.finish();
  });

  loops.run();

  EXPECT_EQ((std::set<std::thread::id>{threads.begin(), threads.end()}).size(), 3u);
}

TEST(EventLoops, KnowsWhoseAnExecutorIs) {
  EventLoops const loops{3};

  EXPECT_EQ(loops.index_of(loops.executor(2)), 2u);
}

}  // namespace
}  // namespace sallyport
