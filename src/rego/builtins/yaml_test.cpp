#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

std::string marshal(std::string_view json) {
  test::BuiltinBench bench;
  Value const operand = bench.parse(json);
  auto const text = bench.call("yaml.marshal", {&operand, 1});
  return text.is(Kind::String) ? std::string{text.as_string()} : "no text";
}

std::string unmarshal(std::string_view yaml) {
  test::BuiltinBench bench{Limits{.steps = 100'000}};
  Value const operand = Value::string(yaml);
  return bench.result("yaml.unmarshal", Operands{&operand, 1});
}

TEST(Yaml, WritesCollectionsInBlocks) {
  EXPECT_EQ(marshal(R"({"b": {"c": [1, [2, 3], {"d": 4, "e": []}]}, "a": {}, "f": null})"),
            "a: {}\n"
            "b:\n"
            "  c:\n"
            "  - 1\n"
            "  - - 2\n"
            "    - 3\n"
            "  - d: 4\n"
            "    e: []\n"
            "f: null\n");
  EXPECT_EQ(marshal(R"([{"foo": [1, 2, 3]}])"), "- foo:\n  - 1\n  - 2\n  - 3\n");
  EXPECT_EQ(marshal("[]"), "[]\n");
  EXPECT_EQ(marshal(R"("x")"), "x\n");
}

TEST(Yaml, SortsKeysWithTheirNumbersAsNumbers) {
  EXPECT_EQ(marshal(R"({"a10": 1, "a2": 2, "a": 3, "B": 4})"), "B: 4\na: 3\na2: 2\na10: 1\n");
}

TEST(Yaml, QuotesOnlyWhatWouldMeanSomethingElse) {
  struct {
    std::string_view json;
    std::string_view yaml;
  } const cases[] = {
      {R"("plain text")", "plain text\n"},
      {R"("")", "\"\"\n"},
      {R"("true")", "\"true\"\n"},
      {R"("yes")", "\"yes\"\n"},
      {R"("12")", "\"12\"\n"},
      {R"("0x1F")", "\"0x1F\"\n"},
      {R"("1e3")", "\"1e3\"\n"},
      {R"("2024-01-02")", "\"2024-01-02\"\n"},
      {R"("1:30")", "\"1:30\"\n"},
      {R"("~")", "\"~\"\n"},
      {R"("a: b")", "'a: b'\n"},
      {R"("- a")", "'- a'\n"},
      {R"("-a")", "-a\n"},
      {R"("*a's")", "'*a''s'\n"},
      {R"("a #b")", "'a #b'\n"},
      {R"("a#b")", "a#b\n"},
      {R"(" a")", "' a'\n"},
      {R"("{a")", "'{a'\n"},
      {R"("a\tb")", "\"a\\tb\"\n"},
      {R"("é😀")", "\"é\\U0001F600\"\n"},
      {R"("a\nb")", "|-\n  a\n  b\n"},
      {R"({"k": "a\nb\n"})", "k: |\n  a\n  b\n"},
      {R"({"k": "a\n\n"})", "k: |+\n  a\n\n"},
      {R"(["a \nb"])", "- \"a \\nb\"\n"},
      {R"([1.0, 2.5, 1e30, 18446744073709551615, -3])",
       "- 1\n- 2.5\n- 1e+30\n- 18446744073709551615\n- -3\n"},
  };
  for (auto const& [json, yaml] : cases) EXPECT_EQ(marshal(json), yaml) << json;
}

TEST(Yaml, FoldsLongLines) {
  std::string const words = std::string(78, 'a') + " bbbb cccc";

  EXPECT_EQ(marshal(R"({"k": ")" + words + R"("})"),
            "k: " + std::string(78, 'a') + "\n  bbbb cccc\n");
}

TEST(Yaml, ReadsScalarsAsGoDoes) {
  EXPECT_EQ(unmarshal("a: 1\nb: [yes, off, ~, 'yes', 0x10, 1.50, 1_000, 2024-01-02, 010]\n3: x\n"
                      "true: y\n"),
            R"({"3": "x", "a": 1, "b": [true, false, null, "yes", 16, 1.5, 1000, "2024-01-02", )"
            R"(8], "true": true})");
  EXPECT_EQ(unmarshal("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(unmarshal("1e3"), "1000");
  EXPECT_EQ(unmarshal("0.0000001"), "1e-7");
  EXPECT_EQ(unmarshal("!!str 12"), R"("12")");
  EXPECT_EQ(unmarshal(""), "null");
  EXPECT_EQ(unmarshal("a: 1\na: 2"), R"({"a": 2})");
  EXPECT_EQ(unmarshal("base: &b {p: 1, q: 2}\nd:\n  <<: *b\n  q: 3"),
            R"({"base": {"p": 1, "q": 2}, "d": {"p": 1, "q": 3}})");
}

TEST(Yaml, SaysWhatIsWrong) {
  EXPECT_EQ(unmarshal("[1,2,3"), "error: yaml: line 1: did not find expected ',' or ']'");
  EXPECT_EQ(unmarshal("a: .nan"), "error: json: unsupported value: NaN");
  EXPECT_TRUE(unmarshal("a: *nobody").starts_with("error: yaml: "));
  EXPECT_EQ(test::result("yaml.is_valid", R"(["foo:\n   - qux: bar\n   - baz: {"])"), "false");
  EXPECT_EQ(test::result("yaml.is_valid", R"(["{\"json\": \"ok\"}"])"), "true");
  EXPECT_EQ(test::result("yaml.is_valid", "[1]"), "false");
}

TEST(Yaml, SurvivesDocumentsThatGrow) {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    bomb += std::string{c} + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) bomb += std::string{i == 0 ? "*" : ",*"} + static_cast<char>(c - 1);
    bomb += "]\n";
  }

  EXPECT_TRUE(unmarshal(bomb).starts_with("halt: "));
  EXPECT_TRUE(unmarshal(std::string(5000, '[')).starts_with("error: "));
  EXPECT_TRUE(unmarshal("&a [*a]").starts_with("error: "));
}

}  // namespace
}  // namespace sallyport::rego
