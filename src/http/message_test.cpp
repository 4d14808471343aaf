#include "src/http/message.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace sallyport::http {
namespace {

TEST(Headers, FindsTheFirstFieldInAnyCase) {
  Headers const headers{{"Accept", "text/html"}, {"ACCEPT", "text/plain"}, {"Host", "a"}};

  ASSERT_NE(headers.find("accept"), nullptr);
  EXPECT_EQ(*headers.find("accept"), "text/html");
  EXPECT_EQ(headers.count("Accept"), 2U);
  EXPECT_EQ(headers.find("Accep"), nullptr);
}

TEST(Headers, ForgetsFieldsOnClearAndFillsAgain) {
  Headers headers{{"A", "1"}, {"B", "2"}};

  headers.clear();
  headers.add_copy("C", "3");

  EXPECT_EQ(headers.size(), 1U);
  EXPECT_EQ(headers.find("A"), nullptr);
  EXPECT_EQ(headers.find("B"), nullptr);
  EXPECT_EQ(*headers.find("C"), "3");
}

TEST(Headers, LoseEveryFieldOfANameAndKeepTheOrderOfTheRest) {
  Headers headers{{"A", "1"}, {"B", "2"}, {"a", "3"}, {"C", "4"}};

  headers.erase("A");
  headers.set("b", "5");

  ASSERT_EQ(headers.size(), 2U);
  EXPECT_EQ(headers.begin()->name, "C");
  EXPECT_EQ(*headers.find("B"), "5");
}

TEST(Headers, AreEmptyAfterAMove) {
  Headers from{{"A", "1"}};

  Headers const to{std::move(from)};

  EXPECT_EQ(to.size(), 1U);
  EXPECT_EQ(from.size(), 0U);  // NOLINT(bugprone-use-after-move): that is the point
  EXPECT_EQ(from.begin(), from.end());
}

TEST(QueryValue, DecodesTheFirstMatch) {
  struct Case {
    std::string_view query;
    std::string_view name;
    std::string_view expected;
  };
  constexpr Case kCases[] = {
      {"a=1&b=2", "b", "2"},       {"a=1&a=2", "a", "1"}, {"a=b%20c+d", "a", "b c d"},
      {"a%5Bx%5D=1", "a[x]", "1"}, {"a", "a", ""},        {"a=", "a", ""},
      {"ab=1", "a", ""},           {"", "a", ""},         {"&&a=1", "a", "1"},
      {"a=%", "a", "%"},           {"a=%4", "a", "%4"},   {"a=%zz", "a", "%zz"},
      {"a=x=y", "a", "x=y"},       {"a=%41", "a", "A"},   {"a=1&", "b", ""},
  };
  for (auto const& [query, name, expected] : kCases) {
    EXPECT_EQ(query_value(query, name), expected) << query;
  }
}

TEST(EqualsIgnoringCase, FoldsAsciiLettersOnly) {
  EXPECT_TRUE(equals_ignoring_case("Content-TYPE", "content-type"));
  EXPECT_FALSE(equals_ignoring_case("a", "ab"));
  EXPECT_FALSE(equals_ignoring_case("[", "{"));  // they differ in the bit that folds letters
}

}  // namespace
}  // namespace sallyport::http
