#include "src/base/signal.hpp"

#include "src/base/task_group.hpp"

#include "tests/support/run.hpp"

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

namespace sallyport {
namespace {

void forget_failure(std::string_view, Error const&) {}

Task<void> wait_for(Signal& signal, Result<void>& outcome, bool after_something_else) {
  auto const executor = co_await asio::this_coro::executor;
  if (after_something_else) co_await asio::post(executor, use_async);
  outcome = co_await signal.wait();
  co_return outcome;
}

Result<void> stopped_child(bool after_something_else) {
  Result<void> outcome = fail(Errc::Internal, "It has not ended.");
  auto const ran = test::run([](Result<void>& ended, bool later) -> Task<void> {
    auto const executor = co_await asio::this_coro::executor;
    Signal signal{executor};
    TaskGroup group{executor, forget_failure};
    group.spawn("waiting", wait_for(signal, ended, later));
    group.stop(asio::cancellation_type::terminal);
    co_await group.join();
    co_return Result<void>{};
  }(outcome, after_something_else));
  EXPECT_TRUE(ran);
  return outcome;
}

TEST(Signal, AWaitIsInterrupted) {
  EXPECT_EQ(stopped_child(false).error().code, Errc::Cancelled);
}

TEST(Signal, AWaitThatBeginsAfterTheStopDoesNotBegin) {
  EXPECT_EQ(stopped_child(true).error().code, Errc::Cancelled);
}

TEST(Signal, WakesWhoeverWaits) {
  Result<void> outcome = fail(Errc::Internal, "It has not ended.");
  auto const ran = test::run([](Result<void>& ended) -> Task<void> {
    auto const executor = co_await asio::this_coro::executor;
    Signal signal{executor};
    TaskGroup group{executor, forget_failure};
    group.spawn("waiting", wait_for(signal, ended, false));
    signal.raise();
    co_await group.join();
    co_return Result<void>{};
  }(outcome));
  EXPECT_TRUE(ran);
  EXPECT_TRUE(outcome);
}

}  // namespace
}  // namespace sallyport
