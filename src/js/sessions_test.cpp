#include "src/js/sessions.hpp"

#include <gtest/gtest.h>

namespace sallyport::js {
namespace {

using namespace std::chrono_literals;

class SessionTable : public testing::Test {
 protected:
  std::unique_ptr<Child> child() {
    return std::make_unique<Child>(zygote_, 1, Descriptor{}, std::make_shared<ChildEnd>());
  }
  // A session that waits for its next script.
  void open(Sessions& sessions, std::string const& name, std::string const& owner) {
    ASSERT_TRUE(sessions.take(name, owner));
    sessions.put_back(name, child());
  }
  static bool is_new(Sessions& sessions, std::string const& name, std::string const& owner) {
    auto taken = sessions.take(name, owner);
    EXPECT_TRUE(taken);
    return taken && *taken == nullptr;
  }

  Zygote zygote_{"/nowhere/sallyport-js"};
};

TEST_F(SessionTable, KeepsAChildBetweenTwoScripts) {
  Sessions sessions{{}};

  EXPECT_TRUE(is_new(sessions, "a", "alice"));
  sessions.put_back("a", child());

  EXPECT_FALSE(is_new(sessions, "a", "alice"));
}

TEST_F(SessionTable, IsForOneScriptAtATime) {
  Sessions sessions{{}};
  EXPECT_TRUE(is_new(sessions, "a", "alice"));

  auto const second = sessions.take("a", "alice");

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::LimitExceeded);
}

TEST_F(SessionTable, ForgetsASessionWhoseChildDied) {
  Sessions sessions{{}};
  EXPECT_TRUE(is_new(sessions, "a", "alice"));

  sessions.put_back("a", nullptr);

  EXPECT_TRUE(is_new(sessions, "a", "alice"));
}

TEST_F(SessionTable, MakesRoomAmongTheSessionsOfTheSameOwner) {
  Sessions sessions{{.all = 3, .per_owner = 2}};
  open(sessions, "a", "alice");
  open(sessions, "b", "alice");
  open(sessions, "c", "bob");

  EXPECT_TRUE(is_new(sessions, "d", "alice"));

  EXPECT_TRUE(is_new(sessions, "a", "alice")) << "the oldest made room";
  EXPECT_FALSE(is_new(sessions, "c", "bob"));
}

TEST_F(SessionTable, DoesNotTakeFromOthersWhatOneWants) {
  Sessions sessions{{.all = 1, .per_owner = 1}};
  open(sessions, "a", "alice");

  EXPECT_FALSE(sessions.take("b", "bob"));
}

TEST_F(SessionTable, EndsWhatNobodyUses) {
  Sessions sessions{{.idle = 10ms}};
  open(sessions, "a", "alice");

  sessions.sweep(Clock::now() + 5ms);
  EXPECT_FALSE(is_new(sessions, "a", "alice"));
  sessions.put_back("a", child());
  sessions.sweep(Clock::now() + 20ms);

  EXPECT_TRUE(is_new(sessions, "a", "alice"));
}

TEST_F(SessionTable, EndsASessionWhenItsScriptHasEnded) {
  Sessions sessions{{}};
  EXPECT_TRUE(is_new(sessions, "a", "alice"));

  sessions.end("a");
  sessions.put_back("a", child());

  EXPECT_TRUE(is_new(sessions, "a", "alice"));
}

}  // namespace
}  // namespace sallyport::js
