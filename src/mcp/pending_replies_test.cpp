#include "src/mcp/pending_replies.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

class PendingRepliesTest : public testing::Test {
 protected:
  void start(PendingReplies::Waiter& waiter) {
    asio::co_spawn(loop_, waiter.wait(),
                   asio::bind_cancellation_slot(
                       stop_.slot(), [this](std::exception_ptr const&, Result<json::Object> got) {
                         answer_ = std::move(got);
                       }));
    loop_.restart();
    loop_.poll();
  }
  void deliver(std::string const& session, ResponseMessage reply) {
    replies_.deliver(session, std::move(reply));
    loop_.restart();
    loop_.poll();
  }

  asio::io_context loop_;
  asio::cancellation_signal stop_;
  PendingReplies replies_{3, loop_.get_executor()};
  std::optional<Result<json::Object>> answer_;
};

TEST_F(PendingRepliesTest, WakesTheWaiterWithItsAnswer) {
  PendingReplies::Waiter waiter{replies_, "session"};
  start(waiter);

  deliver("session", {.id = json::Value(waiter.id()), .result = {{"a", 1}}});

  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->value().at("a"), 1);
}

TEST_F(PendingRepliesTest, AnAnswerMayComeBeforeAnybodyWaits) {
  PendingReplies::Waiter waiter{replies_, "session"};

  deliver("session", {.id = json::Value(waiter.id())});
  start(waiter);

  ASSERT_TRUE(answer_);
  EXPECT_TRUE(answer_->has_value());
}

TEST_F(PendingRepliesTest, AnotherSessionCannotAnswer) {
  PendingReplies::Waiter waiter{replies_, "session"};
  start(waiter);

  deliver("intruder", {.id = json::Value(waiter.id())});

  EXPECT_FALSE(answer_);
  deliver("session", {.id = json::Value(waiter.id())});
  EXPECT_TRUE(answer_);
}

TEST_F(PendingRepliesTest, IgnoresIdsThatNobodyWaitsFor) {
  std::string gone;
  {
    PendingReplies::Waiter const waiter{replies_, "session"};
    gone = waiter.id();
  }
  PendingReplies::Waiter waiter{replies_, "session"};
  start(waiter);

  deliver("session", {.id = json::Value(gone)});
  deliver("session", {.id = "sp-3-999"});
  deliver("session", {.id = 7});

  EXPECT_FALSE(answer_);
  deliver("session", {.id = json::Value(waiter.id())});
}

TEST_F(PendingRepliesTest, AnErrorOfTheClientIsAFailure) {
  PendingReplies::Waiter waiter{replies_, "session"};
  start(waiter);

  deliver("session",
          {.id = json::Value(waiter.id()), .error = json::Object{{"message", "no user here"}}});

  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->error().code, Errc::UpstreamFailed);
  EXPECT_EQ(answer_->error().message, "The client refused to answer: no user here");
}

TEST_F(PendingRepliesTest, EndsWhenTheWaitingCallIsCancelled) {
  PendingReplies::Waiter waiter{replies_, "session"};
  auto wait = [](PendingReplies::Waiter& who) -> Task<json::Object> {
    co_await asio::this_coro::throw_if_cancelled(false);
    co_return co_await who.wait();
  };
  asio::co_spawn(loop_, wait(waiter),
                 asio::bind_cancellation_slot(
                     stop_.slot(), [this](std::exception_ptr const&, Result<json::Object> got) {
                       answer_ = std::move(got);
                     }));
  loop_.poll();

  stop_.emit(asio::cancellation_type::terminal);
  loop_.restart();
  loop_.poll();

  ASSERT_TRUE(answer_);
  EXPECT_EQ(answer_->error().code, Errc::Cancelled);
}

TEST_F(PendingRepliesTest, AnIdNamesTheLoopThatAsked) {
  PendingReplies::Waiter const waiter{replies_, "session"};

  EXPECT_EQ(PendingReplies::loop_of(json::Value(waiter.id())), 3U);
  for (auto const* const id : {"", "sp-", "sp-x-1", "sp-3", "3-1", "sp--1-1", "t3-1"}) {
    EXPECT_FALSE(PendingReplies::loop_of(json::Value(id))) << id;
  }
  EXPECT_FALSE(PendingReplies::loop_of(json::Value(3)));
}

}  // namespace
}  // namespace sallyport::mcp
