#include "src/mcp/session.hpp"

#include <gtest/gtest.h>

#include <set>

namespace sallyport::mcp {
namespace {

using namespace std::chrono_literals;

TEST(Session, KeepsWhatWasAgreed) {
  SessionDirectory directory{{}};

  auto const session = directory.open({.revision = Revision::V2025_06_18,
                                       .capabilities = {{"roots", json::Object{}}},
                                       .principal = "alice"});

  EXPECT_EQ(session->agreement().revision, Revision::V2025_06_18);
  EXPECT_EQ(session->agreement().principal, "alice");
  EXPECT_TRUE(session->agreement().capabilities.contains("roots"));
  EXPECT_EQ(session->log_level(), LogLevel::Info);
}

TEST(Session, OnlyTheNewestStreamCounts) {
  Session session{"s", {}};

  auto const first = session.open_stream();
  EXPECT_TRUE(session.is_current_stream(first));
  auto const second = session.open_stream();

  EXPECT_FALSE(session.is_current_stream(first));
  EXPECT_TRUE(session.is_current_stream(second));
}

TEST(Session, RemembersSubscriptionsUpToALimit) {
  Session session{"s", {}};
  session.subscribe("x://1");
  session.unsubscribe("x://1");
  session.unsubscribe("x://never");
  EXPECT_FALSE(session.is_subscribed("x://1"));

  for (int i = 0; i < 1001; ++i) session.subscribe("y://" + std::to_string(i));

  EXPECT_TRUE(session.is_subscribed("y://999"));
  EXPECT_FALSE(session.is_subscribed("y://1000"));
}

TEST(SessionDirectory, GivesIdsThatDiffer) {
  SessionDirectory directory{{}};
  std::set<std::string> ids;

  for (int i = 0; i < 100; ++i) ids.insert(directory.open({})->id());

  EXPECT_EQ(ids.size(), 100U);
  EXPECT_EQ(ids.begin()->size(), 32U);
}

TEST(SessionDirectory, FindsASessionUntilItIsClosed) {
  SessionDirectory directory{{}};
  auto const session = directory.open({});

  EXPECT_EQ(directory.find(session->id()), session);
  directory.close(*session);

  EXPECT_EQ(directory.find(session->id()), nullptr);
  EXPECT_TRUE(session->is_closed());
  EXPECT_EQ(directory.find("no such"), nullptr);
}

TEST(SessionDirectory, AtTheLimitTheLongestIdleMakesRoom) {
  SessionDirectory directory{{.sessions = 2}};
  auto const first = directory.open({});
  auto const second = directory.open({});
  first->touch();

  auto const third = directory.open({});

  EXPECT_EQ(directory.size(), 2U);
  EXPECT_TRUE(second->is_closed());
  EXPECT_FALSE(first->is_closed());
  EXPECT_FALSE(third->is_closed());
}

TEST(SessionDirectory, ClosesWhatWasIdleForTooLong) {
  SessionDirectory directory{{.idle_timeout = 10s}};
  auto const session = directory.open({});

  directory.close_idle(session->last_used() + 10s);
  EXPECT_FALSE(session->is_closed());
  directory.close_idle(session->last_used() + 11s);

  EXPECT_TRUE(session->is_closed());
  EXPECT_EQ(directory.size(), 0U);
}

TEST(SessionCache, StopsFindingASessionThatWasClosedElsewhere) {
  SessionDirectory directory{{}};
  SessionCache cache{directory};
  auto const session = directory.open({});

  EXPECT_EQ(cache.find(session->id()), session);
  directory.close(*session);

  EXPECT_EQ(cache.find(session->id()), nullptr);
  EXPECT_EQ(cache.find("no such"), nullptr);
}

TEST(SessionCache, LetsGoOfClosedSessions) {
  SessionDirectory directory{{}};
  SessionCache cache{directory};
  std::weak_ptr<Session> watched;
  {
    auto const session = directory.open({});
    watched = cache.find(session->id());
    directory.close(*session);
  }
  EXPECT_FALSE(watched.expired());

  cache.drop_closed();

  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace sallyport::mcp
