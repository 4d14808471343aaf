#include "src/oauth/bearer.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sallyport::oauth {
namespace {

Authorization parse(std::string value) {
  return parse_authorization({{"Authorization", std::move(value)}});
}

TEST(Bearer, TakesTheTokenInAnySpellingOfTheScheme) {
  for (auto const* value :
       {"Bearer abc.DEF-_~+/12==", "bearer abc.DEF-_~+/12==", "BEARER  abc.DEF-_~+/12=="}) {
    auto const parsed = parse(value);
    auto const* token = std::get_if<BearerToken>(&parsed);
    ASSERT_NE(token, nullptr) << value;
    EXPECT_EQ(token->text, "abc.DEF-_~+/12==");
  }
}

TEST(Bearer, RefusesAHeaderThatIsNotExactlyOneToken) {
  for (auto const* value :
       {"", "Bearer", "Bearer ", "Bearer a b", "Bearer a,b", "Bearer \"a\"",
        "Bearer =", "Bearer a=b", "Bearer a\tb", "Bearer \xC3\xA4", " Bearer a"}) {
    EXPECT_TRUE(std::holds_alternative<MalformedHeader>(parse(value))) << value;
  }
}

TEST(Bearer, RefusesTwoHeaders) {
  auto const parsed =
      parse_authorization({{"Authorization", "Bearer a"}, {"authorization", "Bearer b"}});

  EXPECT_TRUE(std::holds_alternative<MalformedHeader>(parsed));
}

TEST(Bearer, LeavesOtherSchemesToOthers) {
  for (auto const* value : {"Basic YTpi", "DPoP abc", "Bearerabc", "Bearer\tabc"}) {
    EXPECT_TRUE(std::holds_alternative<OtherScheme>(parse(value))) << value;
  }
}

TEST(Bearer, SaysWhenThereIsNone) {
  EXPECT_TRUE(
      std::holds_alternative<NoCredentials>(parse_authorization({{"X-Other", "Bearer a"}})));
}

}  // namespace
}  // namespace sallyport::oauth
