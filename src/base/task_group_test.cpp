#include "src/base/task_group.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <vector>

namespace sallyport {
namespace {

using namespace std::chrono_literals;

class TaskGroupTest : public testing::Test {
 protected:
  // Ends when it is asked to stop, and then still does one more asynchronous thing.
  static Task<void> serve(int& farewells) {
    auto const executor = co_await asio::this_coro::executor;
    Timer timer{executor};
    auto const state = co_await asio::this_coro::cancellation_state;
    while (state.cancelled() == asio::cancellation_type::none) {
      timer.expires_after(1ms);
      co_await timer.async_wait(use_tuple);
    }
    timer.expires_after(1ms);
    auto const [interrupted] = co_await timer.async_wait(use_tuple);
    if (!interrupted) ++farewells;
    co_return Result<void>{};
  }

  static Task<void> sleep_for_an_hour() {
    auto const executor = co_await asio::this_coro::executor;
    Timer timer{executor, 1h};
    co_await timer.async_wait(use_async);
    co_return Result<void>{};
  }

  static Async<void> join_then_set(TaskGroup& group, bool& joined) {
    co_await group.join();
    joined = true;
  }

  asio::io_context loop_;
  std::vector<std::string> failures_;
  TaskGroup group_{loop_.get_executor(), [this](std::string_view child, Error const& error) {
                     failures_.push_back(std::string{child} + ": " + error.message);
                   }};
};

TEST_F(TaskGroupTest, LetsChildrenSayGoodbyeWhenStopIsTotal) {
  int farewells = 0;
  group_.spawn("a", serve(farewells));
  group_.spawn("b", serve(farewells));

  loop_.poll();
  group_.stop(asio::cancellation_type::total);
  loop_.run();

  EXPECT_EQ(farewells, 2);
}

TEST_F(TaskGroupTest, InterruptsAWaitWhenStopIsTerminal) {
  group_.spawn("sleeper", sleep_for_an_hour());

  loop_.poll();
  group_.stop(asio::cancellation_type::terminal);
  loop_.run();

  EXPECT_TRUE(failures_.empty());  // being cancelled is no failure
}

TEST_F(TaskGroupTest, ReportsTheChildThatFailedByName) {
  auto fails = []() -> Task<void> { co_return fail(Errc::UpstreamFailed, "hung up"); };
  group_.spawn("listener", fails());

  loop_.run();

  EXPECT_EQ(failures_, std::vector<std::string>{"listener: hung up"});
}

TEST_F(TaskGroupTest, JoinReturnsAfterTheLastChild) {
  int farewells = 0;
  bool joined = false;
  group_.spawn("a", serve(farewells));
  asio::co_spawn(loop_, join_then_set(group_, joined), asio::detached);

  loop_.poll();
  EXPECT_FALSE(joined);
  group_.stop(asio::cancellation_type::total);
  loop_.run();

  EXPECT_TRUE(joined);
}

}  // namespace
}  // namespace sallyport
