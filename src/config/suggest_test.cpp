#include "src/config/suggest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace sallyport::config {
namespace {

std::vector<std::string> const kWords{"host", "port", "path", "allowed_origins"};

TEST(Suggestions, FindTheWordThatWasMeant) {
  EXPECT_EQ(nearest("prot", kWords), "port");
  EXPECT_EQ(nearest("hots", kWords), "host");
  EXPECT_EQ(nearest("alowed_origin", kWords), "allowed_origins");
}

TEST(Suggestions, StayAwayWhenNothingIsNear) {
  EXPECT_EQ(nearest("certificate", kWords), std::nullopt);
  EXPECT_EQ(nearest("", kWords), std::nullopt);
  EXPECT_EQ(nearest(std::string(1000, 'x'), kWords), std::nullopt);
  EXPECT_EQ(did_you_mean("certificate", kWords), "");
}

TEST(Suggestions, ReadAsPartOfAMessage) {
  EXPECT_EQ(did_you_mean("prot", kWords), " (did you mean port?)");
}

}  // namespace
}  // namespace sallyport::config
