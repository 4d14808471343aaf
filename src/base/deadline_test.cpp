#include "src/base/deadline.hpp"

#include "tests/support/run.hpp"

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <stdexcept>

namespace sallyport {
namespace {

using namespace std::chrono_literals;

Task<int> seven() {
  co_return 7;
}

Task<int> throws_after_a_suspension() {
  auto const executor = co_await asio::this_coro::executor;
  co_await asio::post(executor, use_async);
  throw std::runtime_error{"from a library"};
}

Task<int> sleeps_for_an_hour() {
  auto const executor = co_await asio::this_coro::executor;
  Timer timer{executor, 1h};
  co_await timer.async_wait(use_async);
  co_return 0;
}

TEST(WithDeadline, PassesTheValueOn) {
  auto const result = test::run(with_deadline(Deadline::in(1h), seven()));

  ASSERT_TRUE(result);
  EXPECT_EQ(*result, 7);
}

// It once waited for the deadline instead: Asio's || ignores a side that threw.
TEST(WithDeadline, EndsAtOnceWhenTheOperationThrows) {
  auto const result = test::run(with_deadline(Deadline::in(1h), throws_after_a_suspension()));

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::Internal);
  EXPECT_EQ(result.error().detail, "from a library");
}

TEST(WithDeadline, TellsALateOperationFromACancelledCaller) {
  auto const late = test::run(with_deadline(Deadline::in(1ms), sleeps_for_an_hour()));
  auto const cancelled = test::run(with_deadline(Deadline::in(1h), sleeps_for_an_hour()),
                                   test::Interrupt::AfterFirstSuspension);

  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::DeadlineExceeded);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Errc::Cancelled);
}

TEST(WithDeadline, EndsAnOperationThatBeganLateAtOnce) {
  auto const late = test::run(with_deadline({Clock::now() - 1h}, sleeps_for_an_hour()));

  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::DeadlineExceeded);
}

TEST(WithDeadline, LeavesTheNextOperationOfItsCallerAlone) {
  auto const two = []() -> Task<int> {
    SP_CO_CHECK(co_await with_deadline(Deadline::in(1h), seven()));
    co_return co_await capture(sleeps_for_an_hour());
  };
  auto const cancelled = test::run(two(), test::Interrupt::AfterFirstSuspension);

  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Errc::Cancelled);
}

TEST(WithMovingDeadline, AsksAgainWhenItsTimeHasCome) {
  auto const begun = Clock::now();
  int asked = 0;
  auto const ends = [&] { return begun + (++asked < 6 ? asked * 5ms : 25ms); };
  auto const late = test::run(with_moving_deadline(ends, sleeps_for_an_hour()));

  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::DeadlineExceeded);
  EXPECT_GE(Clock::now() - begun, 25ms);
  EXPECT_GE(asked, 6);
}

}  // namespace
}  // namespace sallyport
