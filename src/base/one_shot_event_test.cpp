#include "src/base/one_shot_event.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace sallyport {
namespace {

using namespace std::chrono_literals;

Task<Wakeup> wait_for(std::shared_ptr<OneShotEvent> event, Deadline deadline = {}) {
  co_return co_await event->wait(deadline);
}

TEST(OneShotEvent, LetsThroughWhoComesLater) {
  auto const event = OneShotEvent::make();
  event->set();

  EXPECT_EQ(*test::run(wait_for(event)), Wakeup::Happened);
}

TEST(OneShotEvent, WakesTheWaitersOfSeveralLoops) {
  auto const event = OneShotEvent::make();
  std::atomic<int> woken{0};

  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { woken += *test::run(wait_for(event)) == Wakeup::Happened ? 1 : 0; });
  }
  event->set();
  for (auto& thread : threads) thread.join();

  EXPECT_EQ(woken, 4);
}

TEST(OneShotEvent, TellsTheDeadlineFromCancellation) {
  auto const event = OneShotEvent::make();

  auto const late = test::run(wait_for(event, Deadline::in(1ms)));
  auto const cancelled = test::run(wait_for(event), test::Interrupt::AfterFirstSuspension);

  EXPECT_EQ(*late, Wakeup::DeadlinePassed);
  EXPECT_EQ(*cancelled, Wakeup::Cancelled);
}

TEST(OneShotEvent, HappensAfterTheLoopOfAWaiterIsGone) {
  auto const event = OneShotEvent::make();
  {
    asio::io_context loop;
    asio::co_spawn(loop, wait_for(event), [](std::exception_ptr, Result<Wakeup> const&) {});
    loop.poll();
  }

  event->set();

  EXPECT_EQ(*test::run(wait_for(event)), Wakeup::Happened);
}

}  // namespace
}  // namespace sallyport
