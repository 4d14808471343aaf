#include "src/js/slots.hpp"

#include "src/base/task_group.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace sallyport::js {
namespace {

using namespace std::chrono_literals;

// Takes a slot and keeps it in `kept`.
Task<void> keep_one(Slots& slots, std::vector<Slots::Slot>& kept,
                    std::chrono::milliseconds patience) {
  SP_CO_TRY(auto slot, co_await slots.take(patience));
  kept.push_back(std::move(slot));
  co_return Result<void>{};
}

TEST(Slots, AreGivenOutUntilThereAreNoMore) {
  Slots slots{2, 0};
  std::vector<Slots::Slot> kept;

  EXPECT_TRUE(test::run(keep_one(slots, kept, 1s)));
  EXPECT_TRUE(test::run(keep_one(slots, kept, 1s)));
  auto const third = test::run(keep_one(slots, kept, 1s));

  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, Errc::LimitExceeded);
  EXPECT_NE(third.error().message.find("Busy"), std::string::npos);
}

TEST(Slots, ComeBackWhenTheyGo) {
  Slots slots{1, 0};
  std::vector<Slots::Slot> kept;
  EXPECT_TRUE(test::run(keep_one(slots, kept, 1s)));

  kept.clear();

  EXPECT_TRUE(test::run(keep_one(slots, kept, 1s)));
}

TEST(Slots, GoToWhoWaits) {
  Slots slots{1, 1};
  std::vector<Slots::Slot> kept;
  std::vector<Slots::Slot> second;
  EXPECT_TRUE(test::run(keep_one(slots, kept, 1s)));
  asio::io_context loop;
  std::optional<Result<void>> outcome;
  asio::co_spawn(loop, keep_one(slots, second, 20s),
                 [&](std::exception_ptr const&, Result<void> came) { outcome = std::move(came); });
  loop.poll();
  EXPECT_FALSE(outcome);

  kept.clear();
  loop.run();

  ASSERT_TRUE(outcome);
  EXPECT_TRUE(*outcome);
  EXPECT_EQ(second.size(), 1U);
}

TEST(Slots, AreNotWaitedForForEver) {
  Slots slots{1, 1};
  std::vector<Slots::Slot> kept;
  EXPECT_TRUE(test::run(keep_one(slots, kept, 1s)));

  auto const late = test::run(keep_one(slots, kept, 10ms));

  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::LimitExceeded);
  kept.clear();
  EXPECT_TRUE(test::run(keep_one(slots, kept, 1s))) << "nobody waits any more";
}

TEST(Slots, AreNotKeptByWhoGaveUp) {
  Slots slots{1, 1};
  std::vector<Slots::Slot> kept;
  EXPECT_TRUE(test::run(keep_one(slots, kept, 1s)));

  auto const cancelled =
      test::run(keep_one(slots, kept, 20s), test::Interrupt::AfterFirstSuspension);

  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Errc::Cancelled);
  kept.clear();
  EXPECT_TRUE(test::run(keep_one(slots, kept, 1s)));
}

}  // namespace
}  // namespace sallyport::js
