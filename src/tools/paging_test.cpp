#include "src/tools/paging.hpp"

#include "src/content/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sallyport::tools {
namespace {

std::string part(std::string_view text, std::size_t start_index, std::size_t max_length) {
  auto const found = window(text, start_index, max_length);
  if (!found) return found.error().message;
  return std::string{text.substr(found->start, found->end - found->start)};
}

TEST(Paging, GivesAllThatFits) {
  EXPECT_EQ(part("hello", 0, 5), "hello");
  EXPECT_EQ(part("hello", 0, 100), "hello");
  EXPECT_EQ(part("hello", 2, 100), "llo");
  EXPECT_EQ(part("", 0, 5), "");
  EXPECT_FALSE(window("hello", 0, 5)->is_cut());
}

TEST(Paging, CutsAtALineEndThatIsNear) {
  EXPECT_EQ(part("12345678\n0123456", 0, 10), "12345678\n");
  EXPECT_EQ(part("123456789\n123456", 0, 10), "123456789\n");
}

TEST(Paging, DoesNotGiveUpMuchForALineEnd) {
  EXPECT_EQ(part("12\n4567890123456", 0, 10), "12\n4567890");
}

TEST(Paging, NeverCutsACharacter) {
  std::string const text = "aé€😀b";
  for (std::size_t start = 0; start + 1 < text.size(); ++start) {
    for (std::size_t length = 1; length <= text.size(); ++length) {
      auto const shown = part(text, start, length);

      EXPECT_FALSE(shown.empty()) << start << " " << length;
      EXPECT_EQ(content::valid_utf8_prefix(shown), shown.size()) << start << " " << length;
    }
  }
}

TEST(Paging, AStartInsideACharacterMovesToTheNext) {
  EXPECT_EQ(part("é€b", 1, 10), "€b");
  EXPECT_EQ(window("é€b", 1, 10)->start, 2u);
}

TEST(Paging, PagesJoinToTheWhole) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "Zeile " + std::to_string(i * i) + " für alle 😀\n";
  for (std::size_t const length : {1UL, 7UL, 64UL, 1000UL}) {
    std::string joined;
    std::size_t at = 0;
    while (at < text.size()) {
      auto const next = window(text, at, length);
      ASSERT_TRUE(next);
      joined += text.substr(next->start, next->end - next->start);
      at = next->end;
    }
    EXPECT_EQ(joined, text) << length;
  }
}

TEST(Paging, SaysWhenThereIsNothingLeft) {
  EXPECT_EQ(part("hello", 5, 10), "start_index 5 is beyond the end: the text has 5 bytes.");
  EXPECT_EQ(part("hello", 900, 10), "start_index 900 is beyond the end: the text has 5 bytes.");
  EXPECT_EQ(window("", 1, 10).error().code, Errc::InvalidInput);
}

}  // namespace
}  // namespace sallyport::tools
