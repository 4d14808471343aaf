#include "src/upstream/session/interests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::upstream {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class InterestsTest : public testing::Test {
 protected:
  int changes_{0};
  std::shared_ptr<Interests> interests_{std::make_shared<Interests>(
      Interests::Limits{.uris = 3, .of_principal = 2}, [this] { ++changes_; })};
};

TEST_F(InterestsTest, LastUntilNobodyWantsToHearOfIt) {
  auto alice = interests_->add("x://1", "alice").value();
  auto bob = interests_->add("x://1", "bob").value();
  EXPECT_EQ(changes_, 1);

  alice.reset();
  EXPECT_THAT(interests_->uris(), ElementsAre("x://1"));
  EXPECT_EQ(changes_, 1);

  bob.reset();
  EXPECT_THAT(interests_->uris(), IsEmpty());
  EXPECT_EQ(changes_, 2);
}

TEST_F(InterestsTest, LeaveRoomForOthers) {
  auto const first = interests_->add("x://1", "alice").value();
  auto const second = interests_->add("x://2", "alice").value();

  EXPECT_EQ(interests_->add("x://3", "alice").error().code, Errc::LimitExceeded);
  EXPECT_TRUE(interests_->add("x://2", "alice")) << "it is wanted already";
  EXPECT_TRUE(interests_->add("x://3", "bob"));
}

TEST_F(InterestsTest, AreAsManyAsTheyMayBe) {
  auto const first = interests_->add("x://1", "").value();
  auto const second = interests_->add("x://2", "").value();
  auto const third = interests_->add("x://3", "").value();

  EXPECT_EQ(interests_->add("x://4", "bob").error().code, Errc::LimitExceeded);
  EXPECT_TRUE(interests_->add("x://3", "bob"));
}

TEST_F(InterestsTest, MayOutliveWhoeverIsTold) {
  auto held = interests_->add("x://1", "alice").value();

  interests_->close();
  held.reset();

  EXPECT_EQ(changes_, 1);
}

}  // namespace
}  // namespace sallyport::upstream
