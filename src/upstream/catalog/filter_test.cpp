#include "src/upstream/catalog/filter.hpp"

#include <gtest/gtest.h>

#include <random>

namespace sallyport::upstream {
namespace {

TEST(Glob, MatchesAsPeopleExpect) {
  struct Row {
    std::string_view pattern;
    std::string_view name;
    bool matches;
  };
  for (auto const& [pattern, name, matches] : {
           Row{"*", "", true},
           Row{"*", "anything", true},
           Row{"", "", true},
           Row{"", "a", false},
           Row{"get_*", "get_weather", true},
           Row{"get_*", "forget_it", false},
           Row{"*delete*", "undelete_all", true},
           Row{"*delete*", "drop", false},
           Row{"a?c", "abc", true},
           Row{"a?c", "ac", false},
           Row{"a?c",
               "a\xC3\xA9"
               "c",
               true},
           Row{"?", "\xF0\x9F\x98\x80", true},
           Row{"??", "\xC3\xA9", false},
           Row{"*a*b", "xaxbxab", true},
           Row{"*a*b", "xaxbxba", false},
           Row{"**a**", "a", true},
           Row{"Get", "get", false},
           Row{"a.c", "abc", false},
           Row{"[a]", "a", false},
           Row{"[a]", "[a]", true},
       }) {
    EXPECT_EQ(matches_glob(pattern, name), matches) << pattern << ' ' << name;
  }
}

bool matches_slowly(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') {
    return matches_slowly(pattern.substr(1), name) ||
           (!name.empty() && matches_slowly(pattern, name.substr(1)));
  }
  return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) &&
         matches_slowly(pattern.substr(1), name.substr(1));
}

TEST(Glob, AgreesWithItsDefinition) {
  std::mt19937 random{3};
  auto const text = [&](std::string_view letters, std::size_t longest) {
    std::string made;
    for (auto left = random() % (longest + 1); left > 0; --left) {
      made += letters[random() % letters.size()];
    }
    return made;
  };
  for (int i = 0; i < 20'000; ++i) {
    auto const pattern = text("ab*?", 6);
    auto const name = text("ab", 8);
    ASSERT_EQ(matches_glob(pattern, name), matches_slowly(pattern, name)) << pattern << ' ' << name;
  }
}

TEST(Glob, IsNotSlowedDownByManyStars) {
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "*a";
  pattern += "*b";

  EXPECT_FALSE(matches_glob(pattern, std::string(20'000, 'a')));
}

TEST(ToolFilter, OffersWhatIsAllowedAndNotDenied) {
  EXPECT_TRUE(offers({}, "anything"));
  EXPECT_FALSE(offers({.allow = {}}, "anything"));
  ToolFilter const filter{.allow = {"get_*", "list"}, .deny = {"*secret*"}};
  EXPECT_TRUE(offers(filter, "get_weather"));
  EXPECT_TRUE(offers(filter, "list"));
  EXPECT_FALSE(offers(filter, "set_weather"));
  EXPECT_FALSE(offers(filter, "get_secrets"));
}

}  // namespace
}  // namespace sallyport::upstream
