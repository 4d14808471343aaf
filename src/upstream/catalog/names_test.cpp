#include "src/upstream/catalog/names.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace sallyport::upstream {
namespace {

using testing::ElementsAre;
using testing::MatchesRegex;

using Texts = std::vector<std::string>;

bool is_alias(std::string_view text) {
  return !text.empty() && text.size() <= kLongestAlias && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

TEST(Sanitize, KeepsLowerCaseLettersDigitsAndSingleUnderscores) {
  struct Row {
    std::string_view name;
    std::string_view clean;
  };
  for (auto const& [name, clean] : {
           Row{"get_weather", "get_weather"},
           Row{"Get-Weather", "get_weather"},
           Row{"a.b/c d", "a_b_c_d"},
           Row{"__a___b__", "a_b"},
           Row{"\xE6\xA4\x9C\xE7\xB4\xA2", ""},
           Row{"caf\xC3\xA9!", "caf"},
           Row{std::string_view{"a\0b", 3}, "a_b"},
           Row{"", ""},
           Row{"---", ""},
       }) {
    EXPECT_EQ(sanitize(name), clean) << name;
    EXPECT_EQ(sanitize(sanitize(name)), clean) << name;
  }
}

TEST(AliasBook, NamesAToolAfterItsServerAndItself) {
  AliasBook const book{{"Brave Search", "files"}};

  EXPECT_THAT(book.aliases("Brave Search", {"web-search", "images"}),
              ElementsAre("mcp_brave_search_web_search", "mcp_brave_search_images"));
  EXPECT_THAT(book.aliases("files", {"images"}), ElementsAre("mcp_files_images"));
}

TEST(AliasBook, LeavesThePlainAliasToTheNameThatIsClean) {
  AliasBook const book{{"s"}};

  EXPECT_THAT(book.aliases("s", {"get-weather", "get_weather", "get.weather"}),
              ElementsAre(MatchesRegex("mcp_s_get_weather_[0-9a-z]+"), "mcp_s_get_weather",
                          MatchesRegex("mcp_s_get_weather_[0-9a-z]+")));
}

// Whichever of them kept it would be called by who remembers the other.
TEST(AliasBook, GivesThePlainAliasToNoneOfSeveralThatAreNotClean) {
  AliasBook const book{{"s"}};

  EXPECT_THAT(book.aliases("s", {"get-weather", "get.weather"}),
              ElementsAre(MatchesRegex("mcp_s_get_weather_[0-9a-z]+"),
                          MatchesRegex("mcp_s_get_weather_[0-9a-z]+")));
  EXPECT_THAT(book.aliases("s", {"get-weather"}), ElementsAre("mcp_s_get_weather"));
}

TEST(AliasBook, HasAPartForEveryEmptyOrLongName) {
  AliasBook const book{{"", "\xE6\xA4\x9C", std::string(500, 'x')}};

  for (auto const& server : {std::string{}, std::string{"\xE6\xA4\x9C"}, std::string(500, 'x')}) {
    for (auto const& alias : book.aliases(server, {"", "\xE7\xB4\xA2", std::string(500, 'y')})) {
      EXPECT_TRUE(is_alias(alias)) << alias;
      EXPECT_THAT(alias, MatchesRegex("mcp_[0-9a-z]+_[0-9a-z]+_[0-9a-z]+_[0-9a-z]+"));
    }
  }
}

// These are promised to clients, which keep them in settings: a new version must give the same.
TEST(AliasBook, GivesTheSameHashesForEver) {
  AliasBook const book{{"s"}};

  EXPECT_THAT(book.aliases("s", {"\xE6\xA4\x9C\xE7\xB4\xA2", std::string(70, 'a')}),
              ElementsAre("mcp_s_tool_swjmuc27", "mcp_s_" + std::string(48, 'a') + "_p6gjgrgc"));
}

TEST(AliasBook, NeverGivesAReservedName) {
  AliasBook const book{{"s"}, {"mcp_s_a"}};

  auto const given = book.aliases("s", {"a", "b"});
  EXPECT_THAT(given, ElementsAre(MatchesRegex("mcp_s_a_[0-9a-z]+"), "mcp_s_b"));
  EXPECT_NE(AliasBook({"s"}, {"mcp_s_a", given[0]}).aliases("s", {"a"})[0], given[0]);
}

// SECURITY: else server `a` could offer a tool under a name that belongs to server `a_b`.
TEST(AliasBook, LetsNoServerTakeANameOfAnother) {
  AliasBook const book{{"a", "a_b", "a-b_c"}};

  EXPECT_THAT(book.aliases("a", {"b_c", "b", "bc", "b_c_d"}),
              ElementsAre("mcp_a__b_c", "mcp_a_b", "mcp_a_bc", "mcp_a__b_c_d"));
  EXPECT_THAT(book.aliases("a_b", {"c", "c_d"}), ElementsAre("mcp_a_b_c", "mcp_a_b__c_d"));
  EXPECT_THAT(book.aliases("a-b_c", {"d"}), ElementsAre("mcp_a_b_c_d"));
}

TEST(AliasBook, TellsServersApartWhoseNamesBecomeEqual) {
  AliasBook const book{{"my-files", "my_files", "My Files"}};

  EXPECT_EQ(book.part_of("my_files"), "my_files");
  EXPECT_THAT(book.part_of("my-files"), MatchesRegex("my_files_[0-9a-z]+"));
  EXPECT_NE(book.part_of("my-files"), book.part_of("My Files"));
}

TEST(AliasBook, IsAFunctionOfTheSetAndNotOfItsOrder) {
  Texts names{"a-b", "a.b", "a_b", "", "\xC3\xA9", "Z", "z", std::string(99, 'q')};
  AliasBook const book{{"s", "t"}};
  AliasBook const turned{{"t", "s"}};
  auto const given = book.aliases("s", names);

  std::mt19937 random{7};
  for (int i = 0; i < 20; ++i) {
    auto shuffled = names;
    std::ranges::shuffle(shuffled, random);
    auto const again = turned.aliases("s", shuffled);
    for (std::size_t k = 0; k < names.size(); ++k) {
      auto const position = std::ranges::find(shuffled, names[k]) - shuffled.begin();
      EXPECT_EQ(again[static_cast<std::size_t>(position)], given[k]) << names[k];
    }
  }
}

TEST(AliasBook, ChangesNoAliasWhenAToolOfAnotherFormComesOrGoes) {
  Texts const names{"a-b", "a.b", "c-d", "e", "", std::string(99, 'q')};
  AliasBook const book{{"s"}};
  auto const given = book.aliases("s", names);

  for (std::size_t gone = 2; gone < names.size(); ++gone) {
    auto fewer = names;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(gone));
    auto expected = given;
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(gone));
    EXPECT_EQ(book.aliases("s", fewer), expected) << names[gone];
  }
}

// A name out of few characters, so that most collide.
std::string hostile_name(std::mt19937& random) {
  static constexpr std::string_view kPieces[] = {
      "a",    "b", "A", "_", "-", ".", "\xC3\xA9", "/", "mcp_", "s", "\0", "\xF3\xA0\x81\x81",
      "tool", " "};
  std::string name;
  auto const length = random() % 7;
  for (std::size_t i = 0; i < length; ++i) name += kPieces[random() % std::size(kPieces)];
  if (random() % 50 == 0) name += std::string(500, 'x');
  return name;
}

TEST(AliasBook, GivesEveryNameAnAliasOfItsOwnHoweverHostile) {
  std::mt19937 random{1};
  Texts const servers{"s", "s_a", "S A", "s-a", "a", "", "\xC3\xA9", std::string(200, 's'), "mcp"};
  AliasBook const book{servers, {"mcp_s_a", "mcp_a_b"}};

  std::set<std::string> all{"mcp_s_a", "mcp_a_b"};
  std::size_t expected = all.size();
  for (auto const& server : servers) {
    std::set<std::string> names;
    for (int i = 0; i < 2000; ++i) names.insert(hostile_name(random));
    expected += names.size();
    for (auto const& alias : book.aliases(server, {names.begin(), names.end()})) {
      EXPECT_TRUE(is_alias(alias)) << alias;
      all.insert(alias);
    }
  }
  EXPECT_EQ(all.size(), expected);
}

TEST(AliasBook, NamesTenThousandToolsThatAllCollide) {
  Texts names;
  for (int i = 0; i < 10'000; ++i) {
    std::string name;
    for (int bit = 0; bit < 14; ++bit) name += (i >> bit & 1) != 0 ? 'A' : 'a';
    names.push_back(std::move(name));
  }
  auto const given = AliasBook{{"s"}}.aliases("s", names);

  EXPECT_EQ(std::set<std::string>(given.begin(), given.end()).size(), names.size());
  EXPECT_EQ(given[0], "mcp_s_aaaaaaaaaaaaaa");
}

}  // namespace
}  // namespace sallyport::upstream
