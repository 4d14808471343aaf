#include "src/base/loop_id.hpp"

#include <gtest/gtest.h>

namespace sallyport {
namespace {

TEST(LoopInId, ReadsTheNumberBehindThePrefix) {
  EXPECT_EQ(loop_in_id("3-abc"), 3u);
  EXPECT_EQ(loop_in_id("t12-abc", "t"), 12u);
  EXPECT_EQ(loop_in_id("sp-0-17", "sp-"), 0u);
}

TEST(LoopInId, RefusesWhatHasAnotherForm) {
  for (char const* id :
       {"", "t", "t-", "tx-1", "t1", "1-abc", "t99999999999999999999999-a", "t-1-a"}) {
    EXPECT_EQ(loop_in_id(id, "t"), std::nullopt) << id;
  }
}

}  // namespace
}  // namespace sallyport
