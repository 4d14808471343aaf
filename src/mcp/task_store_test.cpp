#include "src/mcp/task_store.hpp"

#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using namespace std::chrono_literals;

class TaskStoreTest : public testing::Test {
 protected:
  TaskStore store(TaskStore::Limits limits = {}) { return {2, loop_.get_executor(), limits}; }

  asio::io_context loop_;
};

TEST_F(TaskStoreTest, FindsATaskForItsOwnerOnly) {
  auto tasks = store();
  auto* const entry = tasks.create("alice", {}).value();

  EXPECT_EQ(tasks.find(entry->state.id, "alice"), entry);
  EXPECT_EQ(tasks.find(entry->state.id, "mallory"), nullptr);
  EXPECT_EQ(tasks.find("t2-0", "alice"), nullptr);
}

TEST_F(TaskStoreTest, AnIdNamesItsLoopAndCannotBeGuessed) {
  auto tasks = store();
  auto const id = tasks.create("alice", {}).value()->state.id;

  EXPECT_EQ(TaskStore::loop_of(id), 2U);
  EXPECT_EQ(id.size(), std::string_view{"t2-"}.size() + 32);
  for (auto const* const text : {"", "t", "t2", "2-x", "tx-1", "t-1-x"}) {
    EXPECT_FALSE(TaskStore::loop_of(text)) << text;
  }
}

TEST_F(TaskStoreTest, GrantsNoLongerLifeThanTheLimit) {
  auto tasks = store({.ttl = 60s});

  EXPECT_EQ(tasks.create("a", {}).value()->state.ttl, 60s);
  EXPECT_EQ(tasks.create("a", 10s).value()->state.ttl, 10s);
  EXPECT_EQ(tasks.create("a", 3600s).value()->state.ttl, 60s);
}

TEST_F(TaskStoreTest, RefusesMoreTasksThanTheLimit) {
  auto tasks = store({.tasks = 1});
  ASSERT_TRUE(tasks.create("a", {}));

  auto const second = tasks.create("a", {});

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::LimitExceeded);
}

TEST_F(TaskStoreTest, ListsTheOwnersTasksOldestFirst) {
  auto tasks = store();
  auto* const later = tasks.create("a", {}).value();
  auto* const earlier = tasks.create("a", {}).value();
  ASSERT_TRUE(tasks.create("b", {}));
  earlier->state.created = later->state.created - 1s;

  auto const listed = tasks.list("a");

  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0].id, earlier->state.id);
  EXPECT_EQ(listed[1].id, later->state.id);
}

TEST_F(TaskStoreTest, RemovesWhatHasExpiredAndEnded) {
  auto tasks = store({.ttl = 60s});
  auto* const entry = tasks.create("a", {}).value();
  auto const id = entry->state.id;
  auto const expired = entry->state.created + 61s;

  entry->running = false;
  tasks.remove_expired(entry->state.created + 60s);
  EXPECT_NE(tasks.find(id, "a"), nullptr);
  tasks.remove_expired(expired);

  EXPECT_EQ(tasks.find(id, "a"), nullptr);
}

// The handler refers to the entry until it has ended.
TEST_F(TaskStoreTest, CancelsAnExpiredTaskThatRunsAndKeepsItUntilItHasEnded) {
  auto tasks = store({.ttl = 60s});
  auto* const entry = tasks.create("a", {}).value();
  auto const id = entry->state.id;
  int cancelled = 0;
  entry->cancel_call = [&] { ++cancelled; };

  tasks.remove_expired(entry->state.created + 61s);

  EXPECT_EQ(cancelled, 1);
  EXPECT_EQ(tasks.find(id, "a"), entry);
}

TEST_F(TaskStoreTest, AnExpiredTaskMakesRoomForANewOne) {
  auto tasks = store({.tasks = 1});
  auto* const entry = tasks.create("a", 1ms).value();
  entry->running = false;
  entry->state.created -= 1s;

  EXPECT_TRUE(tasks.create("b", {}));
}

TEST(TaskStatus, ThreeAreTerminal) {
  EXPECT_FALSE(is_terminal(TaskStatus::Working));
  EXPECT_FALSE(is_terminal(TaskStatus::InputRequired));
  EXPECT_TRUE(is_terminal(TaskStatus::Completed));
  EXPECT_TRUE(is_terminal(TaskStatus::Failed));
  EXPECT_TRUE(is_terminal(TaskStatus::Cancelled));
}

}  // namespace
}  // namespace sallyport::mcp
