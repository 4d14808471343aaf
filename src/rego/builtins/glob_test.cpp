#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

#include <random>

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

// The same language as one thinks of it: try everything.
bool matches_slowly(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.starts_with("*")) {
    auto const any = pattern.starts_with("**");
    auto const rest = pattern.substr(any ? 2 : 1);
    if (matches_slowly(rest, text)) return true;
    return !text.empty() && (any || text.front() != '.') && matches_slowly(pattern, text.substr(1));
  }
  if (pattern.starts_with("{a,b.}")) {
    return (text.starts_with("a") && matches_slowly(pattern.substr(6), text.substr(1))) ||
           (text.starts_with("b.") && matches_slowly(pattern.substr(6), text.substr(2)));
  }
  if (text.empty()) return false;
  if (pattern.starts_with("?")) {
    return text.front() != '.' && matches_slowly(pattern.substr(1), text.substr(1));
  }
  if (pattern.starts_with("[!a]")) {
    return text.front() != 'a' && matches_slowly(pattern.substr(4), text.substr(1));
  }
  return pattern.front() == text.front() && matches_slowly(pattern.substr(1), text.substr(1));
}

TEST(GlobBuiltins, AgreeWithTryingEverything) {
  std::string_view const pieces[] = {"*", "**", "?", "[!a]", "{a,b.}", "a", "b", "."};
  std::mt19937 random{7};
  int matched = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string pattern;
    for (auto n = random() % 6; n-- > 0;) pattern += pieces[random() % std::size(pieces)];
    std::string text;
    for (auto n = random() % 7; n-- > 0;) text += "ab."[random() % 3];
    Value const operands[] = {Value::string(pattern), Value::array({}), Value::string(text)};
    test::BuiltinBench bench;
    auto const expected = matches_slowly(pattern, text);
    matched += expected ? 1 : 0;
    ASSERT_EQ(bench.call("glob.match", operands).is_true(), expected) << pattern << " on " << text;
  }
  EXPECT_GT(matched, 1000);
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
