#include "src/base/worker_pool.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>

namespace sallyport {
namespace {

using namespace std::chrono_literals;

// Keeps a thread of a pool busy until it is opened.
class Gate {
 public:
  void open() { opened_.set_value(); }
  void wait_until_entered() { entered_.get_future().wait(); }
  int pass() {
    entered_.set_value();
    opened_.get_future().wait();
    return 1;
  }

 private:
  std::promise<void> entered_;
  std::promise<void> opened_;
};

// A pool of one thread that is busy; opens its gate at the end.
struct BusyPool {
  BusyPool() {
    asio::io_context loop;
    asio::co_spawn(loop, pool.run([this] { return gate.pass(); }),
                   [](std::exception_ptr, Result<int> const&) {});
    loop.poll();
    gate.wait_until_entered();
  }
  ~BusyPool() { gate.open(); }
  BusyPool(BusyPool const&) = delete;
  BusyPool& operator=(BusyPool const&) = delete;

  Gate gate;
  WorkerPool pool{1, 1};
};

TEST(WorkerPool, GivesBackWhatTheWorkMadeInAnotherThread) {
  WorkerPool pool{2, 8};
  auto const here = std::this_thread::get_id();
  auto text = std::make_unique<std::string>("made");

  auto const result = test::run(pool.run([here, text = std::move(text)] {
    return *text + (std::this_thread::get_id() == here ? " here" : " elsewhere");
  }));

  EXPECT_EQ(*result, "made elsewhere");
}

TEST(WorkerPool, PassesOnTheFailureOfTheWork) {
  WorkerPool pool{1, 8};

  auto const result = test::run(
      pool.run([]() -> Result<int> { return fail(Errc::UpstreamFailed, "It is no use."); }));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::UpstreamFailed);
}

TEST(WorkerPool, RefusesWorkWhenTooMuchWaits) {
  BusyPool busy;
  asio::io_context loop;  // gone before the gate opens
  asio::co_spawn(loop, busy.pool.run([] { return 2; }),
                 [](std::exception_ptr, Result<int> const&) {});
  loop.poll();

  auto const refused = test::run(busy.pool.run([] { return 3; }));

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::LimitExceeded);
}

TEST(WorkerPool, WorkThatNobodyWaitsForAnyMoreNeverBegins) {
  std::atomic<bool> begun{false};
  auto const work = [&begun] {
    begun = true;
    return 1;
  };
  Result<int> cancelled = 0;
  {
    BusyPool busy;
    cancelled = test::run(busy.pool.run(work), test::Interrupt::AfterFirstSuspension);
  }

  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Errc::Cancelled);
  EXPECT_FALSE(begun);
}

TEST(WorkerPool, TheDeadlineEndsTheWait) {
  BusyPool busy;

  auto const late = test::run(busy.pool.run([] { return 1; }, Deadline::in(1ms)));

  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::DeadlineExceeded);
}

TEST(WorkerPool, TheWaiterMayBeGoneWithItsLoop) {
  Gate gate;
  WorkerPool pool{1, 1};
  {
    asio::io_context loop;
    asio::co_spawn(loop, pool.run([&gate] { return gate.pass(); }),
                   [](std::exception_ptr, Result<int> const&) {});
    loop.poll();
    gate.wait_until_entered();
  }

  gate.open();

  EXPECT_EQ(*test::run(pool.run([] { return 2; })), 2);
}

}  // namespace
}  // namespace sallyport
