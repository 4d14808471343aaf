#include "src/rego/builtins/regex_literals.hpp"
#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <random>

namespace sallyport::rego {
namespace {

using test::prepared_result;
using test::result;

TEST(RegexBuiltins, MatchAsGoDoes) {
  EXPECT_EQ(result("regex.match", R"~(["^h[0-9]+-[a-z]+\\.example\\.com$", "h1-a.example.com"])~"),
            "true");
  EXPECT_EQ(result("regex.match", R"~(["^h[0-9]+-[a-z]+\\.example\\.com$", "h1-a.example.org"])~"),
            "false");
  EXPECT_EQ(result("regex.match", R"~(["a$", "a\n"])~"), "false");
  EXPECT_EQ(result("regex.match", R"~(["(?s).", "\n"])~"), "true");
  EXPECT_EQ(result("regex.match", R"~(["(?i)ABC", "xabcx"])~"), "true");
  EXPECT_EQ(result("regex.match", R"~(["\\p{L}+", "é"])~"), "true");
  EXPECT_EQ(result("regex.match", R"~(["^$", ""])~"), "true");
}

TEST(RegexBuiltins, ReadBothWaysToNameAGroup) {
  EXPECT_EQ(result("regex.replace", R"~(["ab", "(?<x>a)(?P<y>b)", "${y}$x"])~"), R"~("ba")~");
  EXPECT_EQ(result("regex.match", R"~(["[(?<]", "<"])~"), "true");
  EXPECT_EQ(result("regex.match", R"~(["\\Q(?<\\E", "(?<"])~"), "true");
}

TEST(RegexBuiltins, SayWhatIsWrongInGosWords) {
  EXPECT_EQ(result("regex.split", R"~(["[", "a"])~"),
            "error: error parsing regexp: missing closing ]: `[`");
  EXPECT_EQ(result("regex.match", R"~(["a(?=b)", "a"])~"),
            "error: error parsing regexp: invalid or unsupported Perl syntax: `(?=`");
  EXPECT_EQ(result("regex.match", R"~(["*", "a"])~"),
            "error: error parsing regexp: missing argument to repetition operator: `*`");
  EXPECT_EQ(result("regex.match", R"~(["a)", "a"])~"),
            "error: error parsing regexp: unexpected ): `a)`");
  EXPECT_EQ(prepared_result("regex.match", R"~(["[", "a"])~"),
            "error: error parsing regexp: missing closing ]: `[`");
  EXPECT_EQ(result("regex.is_valid", R"~(["["])~"), "false");
  EXPECT_EQ(result("regex.is_valid", R"~(["[a]"])~"), "true");
  EXPECT_EQ(result("regex.is_valid", "[1]"), "false");
}

TEST(RegexBuiltins, RefuseProgramsThatAreTooLarge) {
  EXPECT_TRUE(
      result("regex.match", R"~(["((a{1,100}){1,100}){1,100}", "a"])~").starts_with("error:"));
}

TEST(RegexBuiltins, FindAllThatDoNotOverlap) {
  EXPECT_EQ(result("regex.find_n", R"~(["a.", "abacad", -1])~"), R"~(["ab", "ac", "ad"])~");
  EXPECT_EQ(result("regex.find_n", R"~(["a.", "abacad", 2])~"), R"~(["ab", "ac"])~");
  EXPECT_EQ(result("regex.find_n", R"~(["a.", "abacad", 0])~"), "[]");
  EXPECT_EQ(result("regex.find_n", R"~(["^a.", "abacad", -1])~"), R"~(["ab"])~");
  EXPECT_EQ(result("regex.find_n", R"~(["x*", "axb", -1])~"), R"~(["", "x", ""])~");
  EXPECT_EQ(result("regex.find_n", R"~(["", "é", -1])~"), R"~(["", ""])~");
  EXPECT_EQ(result("regex.find_all_string_submatch_n", R"~(["a(x*)b|(c)", "-axxb-c", -1])~"),
            R"~([["axxb", "xx", ""], ["c", "", "c"]])~");
}

TEST(RegexBuiltins, SplitAsGoDoes) {
  EXPECT_EQ(result("regex.split", R"~(["-+", "a--b-c"])~"), R"~(["a", "b", "c"])~");
  EXPECT_EQ(result("regex.split", R"~(["a", "banana"])~"), R"~(["b", "n", "n", ""])~");
  EXPECT_EQ(result("regex.split", R"~(["[a-z]+$", "foobar baz"])~"), R"~(["foobar ", ""])~");
  EXPECT_EQ(result("regex.split", R"~(["x", ""])~"), R"~([""])~");
  EXPECT_EQ(result("regex.split", R"~(["", "abc"])~"), R"~(["a", "b", "c"])~");
}

TEST(RegexBuiltins, ReplaceWithGroups) {
  EXPECT_EQ(result("regex.replace", R"~(["foo", "(foo)", "$1$1"])~"), R"~("foofoo")~");
  EXPECT_EQ(result("regex.replace", R"~(["abc", "b", "$0$0"])~"), R"~("abbc")~");
  EXPECT_EQ(result("regex.replace", R"~(["abc", "b", "[$1x]$$"])~"), R"~("a[]$c")~");
  EXPECT_EQ(result("regex.replace", R"~(["abc", "b", "${0"])~"), R"~("a${0c")~");
  EXPECT_EQ(result("regex.replace", R"~(["foo", "^[a-z]", "F"])~"), R"~("Foo")~");
  EXPECT_EQ(result("regex.replace", R"~(["abc", "x*", "-"])~"), R"~("-a-b-c-")~");
  EXPECT_EQ(prepared_result("regex.replace", R"~(["abc", "b", "x"])~"), R"~("axc")~");
}

TEST(RegexBuiltins, MatchTemplates) {
  EXPECT_EQ(result("regex.template_match", R"~(["urn:foo:<.*>", "urn:foo:bar:baz", "<", ">"])~"),
            "true");
  EXPECT_EQ(result("regex.template_match", R"~(["urn.foo:{[0-9]{2}}", "urn.foo:12", "{", "}"])~"),
            "true");
  EXPECT_EQ(result("regex.template_match", R"~(["urn.foo:<a>", "urnxfoo:a", "<", ">"])~"), "false");
  EXPECT_EQ(result("regex.template_match", R"~(["urn:<a", "a", "<", ">"])~"),
            R"~(error: unbalanced braces in "urn:<a")~");
  EXPECT_EQ(result("regex.template_match", R"~(["urn:a>", "a", "<", ">"])~"),
            R"~(error: unbalanced braces in "urn:a>")~");
  EXPECT_EQ(result("regex.template_match", R"~(["a", "a", "<<", ">"])~"),
            "error: start delimiter has to be exactly one character long but is 2 long");
  EXPECT_EQ(prepared_result("regex.template_match", R"~(["u:<[a-z]+>", "u:ab", "<", ">"])~"),
            "true");
}

TEST(RegexBuiltins, FindWhetherTwoGlobsMeet) {
  struct {
    std::string_view operands;
    std::string_view answer;
  } const cases[] = {
      {R"~(["a.a.[0-9]+z", ".b.b2359825792*594823z"])~", "true"},
      {R"~(["[a-z]+", "[0-9]*"])~", "false"},
      {R"~(["b.*", "bar"])~", "true"},
      {R"~(["[a-z]+\\[[0-9]+\\]", "foo\\[1\\]"])~", "true"},
      {R"~(["a.a.[0-9]+z", "a.b.9+z"])~", "false"},
      {R"~(["", ""])~", "true"},
      {R"~(["pqrs]", "[a-b]+"])~",
       "error: input:pqrs], pos:5, set-close ']' with no preceding '[': the input provided is "
       "invalid"},
      {R"~(["+a", "a"])~",
       "error: input:+a, pos:1, flag '+' must be preceded by a non-flag: the input provided is "
       "invalid"},
      {R"~(["[z-a]", "a"])~",
       "error: input:[z-a], pos:4, range is out of order: 'a' comes before 'z' in Unicode: the "
       "input provided is invalid"},
      {R"~(["[ab", "a"])~",
       "error: input:[ab, pos:3, found [ without matching ]: the input provided is invalid"},
  };
  for (auto const& [operands, answer] : cases) {
    EXPECT_EQ(result("regex.globs_match", operands), answer) << operands;
  }
}

TEST(RegexBuiltins, FindInTimeThatManyStarsDoNotMeet) {
  std::string first;
  std::string second;
  for (int i = 0; i < 50; ++i) {
    first += "a*.*";
    second += ".*a*";
  }

  EXPECT_EQ(result("regex.globs_match", "[\"" + first + "b\", \"" + second + "c\"]"), "false");
}

TEST(RequiredLiterals, AreReadFromThePattern) {
  struct {
    std::string_view pattern;
    std::string_view prefix;
    std::string_view suffix;
    bool whole;
  } const cases[] = {
      {R"~(^h0001-[a-z]+\.example\.com$)~", "h0001-", ".example.com", false},
      {R"~(^abc$)~", "abc", "abc", true},
      {R"~(^ab*)~", "a", "", false},
      {R"~(^ab+c$)~", "ab", "c", false},
      {R"~(^ab?$)~", "a", "", false},
      {R"~(^abé?)~", "ab", "", false},
      {R"~(^(a|b)c$)~", "", "c", false},
      {R"~(^a|b$)~", "", "", false},
      {R"~(abc)~", "", "", false},
      {R"~(abc$)~", "", "abc", false},
      {R"~(^(?i)abc$)~", "", "", false},
      {R"~(^a\d\.b)~", "a", "", false},
      {R"~(^a\x41b$)~", "", "", false},
      {R"~(^a{2}b$)~", "", "", false},
      {R"~(^[]a]b$)~", "", "b", false},
      {R"~(a\$)~", "", "", false},
      {R"~(^$)~", "", "", true},
  };
  for (auto const& [pattern, prefix, suffix, whole] : cases) {
    auto const found = builtins::required_literals(pattern);
    EXPECT_EQ(found.prefix, prefix) << pattern;
    EXPECT_EQ(found.suffix, suffix) << pattern;
    EXPECT_EQ(found.whole, whole) << pattern;
  }
}

// The shortcut is only worth having if it never disagrees with the engine.
TEST(RequiredLiterals, NeverRefuseWhatThePatternMatches) {
  std::string_view const pieces[] = {"^",     "$",    "a",   "b",   "ab",  "é",     ".",
                                     "[ab]",  "[^a]", "*",   "+",   "?",   "(a)",   "(a|b)",
                                     "|",     "\\.",  "\\$", "\\d", "{2}", "(?:b)", "(?i:a)",
                                     "\\x61", "(?m)", "*?",  "[]a]"};
  std::string_view const letters[] = {"a", "b", "A", ".", "$", "é", "\n", "1"};
  std::mt19937 random{7};
  re2::RE2::Options quiet;
  quiet.set_log_errors(false);
  int compared = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string pattern;
    if (random() % 2 == 0) pattern = "^";
    for (auto n = random() % 6; n-- > 0;) pattern += pieces[random() % std::size(pieces)];
    if (random() % 2 == 0) pattern += "$";
    re2::RE2 const engine{pattern, quiet};
    if (!engine.ok()) continue;
    auto const required = builtins::required_literals(pattern);
    for (int j = 0; j < 8; ++j) {
      std::string text;
      for (auto n = random() % 5; n-- > 0;) text += letters[random() % std::size(letters)];
      auto const matches = re2::RE2::PartialMatch(text, engine);
      ++compared;
      if (matches || required.whole) {
        ASSERT_EQ(required.allow(text), matches) << pattern << " on " << text;
      }
    }
  }
  EXPECT_GT(compared, 50'000);
}

}  // namespace
}  // namespace sallyport::rego
