#include "src/oauth/upstream/challenge.hpp"

#include <gtest/gtest.h>

namespace sallyport::oauth::upstream {
namespace {

TEST(Challenges, ReadsSeveralWithParametersQuotedStringsAndToken68) {
  auto const found = parse_challenges(
      R"(Negotiate abc123==, Bearer realm="a, \"b\"" , scope = "x y",error=invalid_token, Basic)");

  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].scheme, "Negotiate");
  EXPECT_EQ(found[0].token68, "abc123==");
  EXPECT_EQ(found[1].scheme, "Bearer");
  EXPECT_EQ(found[1].parameter("realm"), "a, \"b\"");
  EXPECT_EQ(found[1].parameter("SCOPE"), "x y");
  EXPECT_EQ(found[1].parameter("error"), "invalid_token");
  EXPECT_EQ(found[2].scheme, "Basic");
}

TEST(Challenges, ReadsAsFarAsTheGrammarIsFollowed) {
  struct Case {
    std::string_view field;
    std::size_t challenges;
    std::size_t parameters;  // of the last one
  };
  for (auto const& [field, challenges, parameters] :
       std::vector<Case>{{"", 0, 0},
                         {",, ,", 0, 0},
                         {"Bearer", 1, 0},
                         {"Bearer ", 1, 0},
                         {"Bearer,DPoP", 2, 0},
                         {"Bearer a=1,b=2,DPoP c=3", 2, 1},
                         {R"(Bearer a="1)", 1, 0},
                         {R"(Bearer a="1\)", 1, 0},
                         {"Bearer a=1 b=2", 1, 1},
                         {"Bearer a=,b=2", 1, 0},
                         {"a=1", 0, 0},
                         {"\"Bearer\" a=1", 0, 0},
                         {"Bearer a=\"\x01\"", 1, 0}}) {
    auto const found = parse_challenges(field);
    EXPECT_EQ(found.size(), challenges) << field;
    if (!found.empty()) {
      EXPECT_EQ(found.back().parameters.size(), parameters) << field;
    }
  }
}

TEST(Challenges, HaveBounds) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "S" + std::to_string(i) + ",";
  std::string wide = "Bearer ";
  for (int i = 0; i < 1000; ++i) wide += "p" + std::to_string(i) + "=1,";

  EXPECT_EQ(parse_challenges(many).size(), 16U);
  EXPECT_EQ(parse_challenges(wide).front().parameters.size(), 32U);
  EXPECT_TRUE(parse_challenges(std::string(100'000, 'a')).empty());
}

TEST(Challenges, TakesTheFirstOfTwoParametersWithOneName) {
  auto const found = parse_challenges("Bearer scope=a, scope=b");

  EXPECT_EQ(found.front().parameter("scope"), "a");
}

TEST(ServerChallenge, CollectsFromAllFieldsOfTheTwoSchemes) {
  http::Headers const answer{
      {"WWW-Authenticate", R"(Basic realm="x", scope="not this")"},
      {"www-authenticate", R"(Bearer scope="a b", error="insufficient_scope")"},
      {"WWW-Authenticate", R"(DPoP resource_metadata="https://a.example/m", scope="c")"}};

  auto const challenge = read_challenge(answer);

  EXPECT_EQ(challenge.scope, "a b");
  EXPECT_EQ(challenge.error, "insufficient_scope");
  EXPECT_EQ(challenge.resource_metadata, "https://a.example/m");
  EXPECT_TRUE(challenge.offers_dpop);
}

TEST(ServerChallenge, LeavesOutWhatCannotGoOn) {
  http::Headers const answer{{"WWW-Authenticate", R"(Bearer scope="a\"b", error="a b")"}};

  auto const challenge = read_challenge(answer);

  EXPECT_EQ(challenge.scope, "");
  EXPECT_EQ(challenge.error, "");
  EXPECT_FALSE(challenge.offers_dpop);
}

}  // namespace
}  // namespace sallyport::oauth::upstream
