#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

using test::prepared_result;
using test::result;

struct GlobCase {
  std::string_view operands;
  std::string_view answer;
};

TEST(GlobBuiltins, MatchTheLanguage) {
  GlobCase const cases[] = {
      {R"(["*.b.com", [], "a.b.com"])", "true"},
      {R"(["*.b.com", [], "x.a.b.com"])", "false"},
      {R"(["*.b.com", null, "x.a.b.com"])", "true"},
      {R"(["**.b.com", [], "x.a.b.com"])", "true"},
      {R"(["*.github.com", [], "github.com"])", "false"},
      {R"(["*", ["."], "a.b"])", "false"},
      {R"(["*", ["/"], "a.b"])", "true"},
      {R"(["api.**.com", ["."], "api.cdn.github.com"])", "true"},
      {R"(["api.*.com", ["."], "api.cdn.github.com"])", "false"},
      {R"(["a:*:c", [":"], "a:b:c"])", "true"},
      {R"(["a:*:*:d", [":"], "a:b:c:d"])", "true"},
      {R"(["a:*:*:d", [":"], "a:b:c:x:d"])", "false"},
      {R"(["a:**:*:d", [":"], "a:b:c:x:d"])", "true"},
      {R"(["{a,b}.com", [], "b.com"])", "true"},
      {R"(["{a,b}.com", [], "c.com"])", "false"},
      {R"(["{cat,bat,[fr]at}", [], "rat"])", "true"},
      {R"(["{cat,bat,[fr]at}", [], "at"])", "false"},
      {R"(["{a{b,c},}d", [], "acd"])", "true"},
      {R"(["{a{b,c},}d", [], "d"])", "true"},
      {R"(["{a{b,c},}d", [], "ad"])", "false"},
      {R"(["{*.a,*.b}.com", [], "x.b.com"])", "true"},
      {R"(["{*.a,*.b}.com", [], "y.x.b.com"])", "false"},
      {R"(["[a-c]at", [], "bat"])", "true"},
      {R"(["[!a-c]at", [], "bat"])", "false"},
      {R"(["[abc]at", [], "fat"])", "false"},
      {R"(["[!abc]at", [], "fat"])", "true"},
      {R"(["?at", [], "at"])", "false"},
      {R"(["?at", ["f"], "bat"])", "true"},
      {R"(["?at", ["f"], "fat"])", "false"},
      {R"(["?", [], "é"])", "true"},
      {R"(["*é*", ["ü"], "xéy"])", "true"},
      {R"(["*é*", ["ü"], "xéüy"])", "false"},
      {R"(["\\*", [], "*"])", "true"},
      {R"(["\\*", [], "a"])", "false"},
      {R"(["a}b,c", [], "a}b,c"])", "true"},
      {R"(["", [], ""])", "true"},
      {R"(["", [], "a"])", "false"},
      {R"(["ab*ba", null, "aba"])", "false"},
      {R"(["?", [], ""])", "false"},
  };
  for (auto const& [operands, answer] : cases) {
    EXPECT_EQ(result("glob.match", operands), answer) << operands;
    EXPECT_EQ(prepared_result("glob.match", operands), answer) << operands;
  }
}

TEST(GlobBuiltins, SayWhatIsWrong) {
  GlobCase const cases[] = {
      {R"(["[a", [], "a"])", "error: unexpected end of input"},
      {R"(["[]", [], "a"])", "error: could not parse range"},
      {R"(["[a-z0-9]", [], "a"])", "error: expected close range character"},
      {R"(["[z-a]", [], "a"])", "error: hi character 'a' should be greater than lo 'z'"},
      {R"(["a", "x", "a"])", "type error: operand 2 must be one of {array, null} but got string"},
      {R"(["a", ["ab"], "a"])",
       "type error: operand 2 must be array of runes but got array containing string"},
      {R"(["a", [1], "a"])",
       "type error: operand 2 must be array of strings but got array containing number"},
      {R"([1, [], "a"])", "type error: operand 1 must be string but got number"},
  };
  for (auto const& [operands, answer] : cases) {
    EXPECT_EQ(result("glob.match", operands), answer) << operands;
    EXPECT_EQ(prepared_result("glob.match", operands), answer) << operands;
  }
}

TEST(GlobBuiltins, TakeTimeInProportionToTheText) {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "a*";
  std::string const text(10'000, 'a');

  EXPECT_EQ(result("glob.match", "[\"" + pattern + "b?\", [], \"" + text + "\"]"), "false");
}

TEST(GlobBuiltins, QuoteWhatHasAMeaning) {
  EXPECT_EQ(result("glob.quote_meta", R"(["*.a[b]{c}?\\"])"), R"("\\*.a\\[b\\]\\{c\\}\\?\\\\")");
}

}  // namespace
}  // namespace sallyport::rego
