#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

using test::result;

TEST(StringBuiltins, CompareEndsAndParts) {
  EXPECT_EQ(result("startswith", R"(["/api/v1", "/api"])"), "true");
  EXPECT_EQ(result("startswith", R"(["/api", "/api/v1"])"), "false");
  EXPECT_EQ(result("endswith", R"(["a.example.com", ".example.com"])"), "true");
  EXPECT_EQ(result("endswith", R"(["com", ".com"])"), "false");
  EXPECT_EQ(result("contains", R"(["abcd", "bc"])"), "true");
  EXPECT_EQ(result("contains", R"(["abcd", ""])"), "true");
  EXPECT_EQ(result("contains", R"(["", "a"])"), "false");
}

TEST(StringBuiltins, NameTheOperandThatIsWrong) {
  EXPECT_EQ(result("lower", "[1]"), "type error: operand 1 must be string but got number");
  EXPECT_EQ(result("contains", R"(["a", null])"),
            "type error: operand 2 must be string but got null");
  EXPECT_EQ(result("concat", R"([",", "a"])"),
            "type error: operand 2 must be one of {set, array} but got string");
  EXPECT_EQ(result("concat", R"([",", ["a", 1]])"),
            "type error: operand 2 must be array of strings but got array containing number");
  EXPECT_EQ(result("substring", R"(["a", 1.5, 2])"),
            "type error: operand 2 must be integer number but got floating-point number");
  EXPECT_EQ(result("strings.any_prefix_match", "[1, []]"),
            "type error: operand 1 must be one of {string, set, array} but got number");
  EXPECT_EQ(result("strings.replace_n", R"([{"a": 1}, "a"])"),
            "type error: operand 1 non-string value found in pattern object");
}

TEST(StringBuiltins, ChangeCaseRuneByRune) {
  EXPECT_EQ(result("upper", R"(["ß"])"), R"("ß")");
  EXPECT_EQ(result("upper", R"(["abz19[`{"])"), R"("ABZ19[`{")");
  EXPECT_EQ(result("lower", R"(["ΑΣ"])"), R"("ασ")");
  EXPECT_EQ(result("lower", R"(["İ"])"), R"("i")");
  EXPECT_EQ(result("lower", R"(["GET @Z[x"])"), R"("get @z[x")");
}

TEST(StringBuiltins, GiveTheTextItselfWhereNothingChanges) {
  test::BuiltinBench bench;
  auto const operands = bench.parse(R"(["already lower"])");
  auto const used = bench.arena.used();

  auto const value = bench.call("lower", operands.items());

  EXPECT_EQ(value.as_string().data(), operands.items()[0].as_string().data());
  EXPECT_EQ(bench.arena.used(), used);
}

TEST(StringBuiltins, CountRunesNotBytes) {
  EXPECT_EQ(result("indexof", R"(["héllo", "l"])"), "2");
  EXPECT_EQ(result("indexof", R"(["hello", "z"])"), "-1");
  EXPECT_EQ(result("indexof", R"(["abc", ""])"), "error: empty search character");
  EXPECT_EQ(result("indexof_n", R"(["banana", "an"])"), "[1, 3]");
  EXPECT_EQ(result("indexof_n", R"(["ééaé", "é"])"), "[0, 1, 3]");
  EXPECT_EQ(result("indexof_n", R"(["aaaa", "aa"])"), "[0, 1, 2]");
  EXPECT_EQ(result("substring", R"(["héllo", 1, 3])"), R"("éll")");
  EXPECT_EQ(result("strings.reverse", R"(["héllo"])"), R"("olléh")");
  EXPECT_EQ(result("strings.count", R"(["abé", ""])"), "4");
  EXPECT_EQ(result("strings.count", R"(["aaaa", "aa"])"), "2");
}

TEST(StringBuiltins, TakeSubstringsWithinTheText) {
  EXPECT_EQ(result("substring", R"(["abc", 1, -1])"), R"("bc")");
  EXPECT_EQ(result("substring", R"(["abc", 5, 2])"), R"("")");
  EXPECT_EQ(result("substring", R"(["abc", 1, 9223372036854775807])"), R"("bc")");
  EXPECT_EQ(result("substring", R"(["", 0, 1])"), R"("")");
  EXPECT_EQ(result("substring", R"(["abc", -1, 2])"), "error: negative offset");
}

TEST(StringBuiltins, SplitAndJoin) {
  EXPECT_EQ(result("split", R"(["a.b.", "."])"), R"(["a", "b", ""])");
  EXPECT_EQ(result("split", R"(["aéb", ""])"), R"(["a", "é", "b"])");
  EXPECT_EQ(result("split", R"(["", ""])"), "[]");
  EXPECT_EQ(result("split", R"(["", "."])"), R"([""])");
  EXPECT_EQ(result("strings.split_n", R"(["a.b.c.d", ".", 2])"), R"(["a", "b"])");
  EXPECT_EQ(result("strings.split_n", R"(["a.b.c.d", ".", -2])"), R"(["c", "d"])");
  EXPECT_EQ(result("strings.split_n", R"(["a.b", ".", 0])"), "[]");
  EXPECT_EQ(result("strings.split_n", R"(["a.b", ".", -9223372036854775808])"), R"(["a", "b"])");
  EXPECT_EQ(result("strings.split_n", R"(["abc", "", -2])"), R"(["b", "c"])");
  EXPECT_EQ(result("concat", R"(["-", ["a", "b", "c"]])"), R"("a-b-c")");
  EXPECT_EQ(result("concat", R"(["-", []])"), R"("")");
}

TEST(StringBuiltins, ReplaceLeftToRight) {
  EXPECT_EQ(result("replace", R"(["aaa", "a", "b"])"), R"("bbb")");
  EXPECT_EQ(result("replace", R"(["aaa", "aa", "b"])"), R"("ba")");
  EXPECT_EQ(result("replace", R"(["abc", "", "-"])"), R"("-a-b-c-")");
  EXPECT_EQ(result("replace", R"(["abc", "x", "-"])"), R"("abc")");
  EXPECT_EQ(result("strings.replace_n", R"([{"a": "b", "b": "c"}, "ab"])"), R"("bc")");
  EXPECT_EQ(result("strings.replace_n", R"([{"foo": "xxx", "f": "x"}, "foo"])"), R"("xoo")");
  EXPECT_EQ(result("strings.replace_n", R"([{"": "-", "b": "c"}, "ab"])"), R"("-a-c-")");
  EXPECT_EQ(result("replace", R"(["aéb", "", "-"])"), R"("-a-é-b-")");
  EXPECT_EQ(result("strings.replace_n", R"([{"": "-", "é": "e"}, "aéb"])"), R"("-a-e-b-")");
}

TEST(StringBuiltins, Trim) {
  EXPECT_EQ(result("trim", R"(["xxabcxx", "x"])"), R"("abc")");
  EXPECT_EQ(result("trim", R"(["éaé", "é"])"), R"("a")");
  EXPECT_EQ(result("trim", R"(["xx", "x"])"), R"("")");
  EXPECT_EQ(result("trim_left", R"(["xyaxy", "yx"])"), R"("axy")");
  EXPECT_EQ(result("trim_right", R"(["xyaxy", "yx"])"), R"("xya")");
  EXPECT_EQ(result("trim_prefix", R"(["abc", "ab"])"), R"("c")");
  EXPECT_EQ(result("trim_suffix", R"(["abc", "ab"])"), R"("abc")");
  EXPECT_EQ(result("trim_space", R"(["\u00a0\t a b\n\u3000"])"), R"("a b")");
}

TEST(StringBuiltins, MatchAnyOfManyEnds) {
  EXPECT_EQ(result("strings.any_prefix_match", R"([["abc", "xyz"], ["ab"]])"), "true");
  EXPECT_EQ(result("strings.any_prefix_match", R"(["abc", ["b", "c"]])"), "false");
  EXPECT_EQ(result("strings.any_prefix_match", R"([["abc"], []])"), "false");
  EXPECT_EQ(result("strings.any_suffix_match", R"(["a.example.com", [".org", ".com"]])"), "true");
  EXPECT_EQ(result("strings.any_suffix_match", R"([["a"], "b"])"), "false");
}

TEST(StringBuiltins, StopBeforeATextGrowsTooLong) {
  test::BuiltinBench bench{Limits{.longest_text = 1000}};

  auto const answer = bench.result("replace", R"([")" + std::string(100, 'a') + R"(", "a", ")" +
                                                  std::string(100, 'b') + R"("])");

  EXPECT_EQ(answer, "halt: the text is longer than 1000 bytes");
}

TEST(StringBuiltins, StopWhenTheBudgetIsUsedUp) {
  test::BuiltinBench bench{Limits{.steps = 1000}};
  std::string const many(100'000, 'a');

  EXPECT_EQ(bench.result("indexof_n", R"([")" + many + R"(", "a"])"),
            "halt: the evaluation has used up its budget");
}

}  // namespace
}  // namespace sallyport::rego
