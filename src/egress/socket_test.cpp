#include "src/egress/socket.hpp"

#include <gtest/gtest.h>

namespace sallyport::egress {
namespace {

constexpr std::uint16_t kGood[] = {1000, 3000, 4999};
constexpr std::uint16_t kBad[] = {0, 999, 1001, 1005, 1006, 1009, 2999, 5000, 65535};

TEST(Goodbye, HasACodeForApplicationsOrNone) {
  for (std::uint16_t const code : kGood) EXPECT_TRUE(check_goodbye(code, "bye"));
  EXPECT_TRUE(check_goodbye({}, ""));
  for (std::uint16_t const code : kBad) {
    auto const checked = check_goodbye(code, "");
    ASSERT_FALSE(checked) << code;
    EXPECT_EQ(checked.error().code, Errc::InvalidInput);
  }
}

TEST(Goodbye, HasAReasonOnlyBehindACodeAndNoneThatIsTooLong) {
  EXPECT_FALSE(check_goodbye({}, "why"));
  EXPECT_TRUE(check_goodbye(3000, std::string(123, 'x')));
  EXPECT_FALSE(check_goodbye(3000, std::string(124, 'x')));
}

}  // namespace
}  // namespace sallyport::egress
