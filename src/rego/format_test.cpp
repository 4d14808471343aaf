#include "src/rego/format.hpp"

#include "src/json/parse.hpp"
#include "src/rego/parser.hpp"
#include "src/rego/same_tree.hpp"

#include "tests/support/not_tested.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace sallyport::rego {
namespace {

namespace fs = std::filesystem;
using ::testing::Gt;

fs::path const kCases{SALLYPORT_REGO_CASES};

CompileOptions all_of(Syntax syntax) {
  CompileOptions options;
  options.syntax = syntax;
  options.experimental_keywords = {"and", "or"};
  return options;
}

// Formats, and checks that the result means the same, keeps every comment and stays as it is.
std::string formatted(std::string const& text, Syntax syntax = Syntax::V1) {
  Arena arena;
  Diagnostics errors;
  auto const options = all_of(syntax);
  auto const* const first = parse_module(text, 0, options, arena, errors);
  if (first == nullptr) return "does not parse: " + to_text(errors[0], text);
  auto once = format_module(*first, text);
  auto const* const second = parse_module(once, 0, options, arena, errors);
  if (second == nullptr) return "broken: " + to_text(errors[0], once) + '\n' + once;
  EXPECT_TRUE(same_tree(*first, *second)) << text << "\nbecame\n" << once;
  EXPECT_EQ(first->comments.size(), second->comments.size()) << text << "\nbecame\n" << once;
  EXPECT_EQ(format_module(*second, once), once) << text;
  return once;
}

TEST(Format, WritesOneRuleLikeTheOther) {
  EXPECT_EQ(formatted("package   a.b\nallow=true{  input.x==1;not y }", Syntax::V0),
            "package a.b\n\nallow {\n\tinput.x == 1\n\tnot y\n}\n");
  EXPECT_EQ(formatted("package a\nallow = true if {  input.x==1;not y }"),
            "package a\n\nallow if {\n\tinput.x == 1\n\tnot y\n}\n");
  EXPECT_EQ(formatted("package a\np if { input.x }"), "package a\n\np if input.x\n");
  EXPECT_EQ(formatted("package a\np contains x if { x := 1 } { x := 2 }"),
            "package a\n\np contains x if x := 1\n\np contains x if x := 2\n");
}

TEST(Format, KeepsRulesOfOneLineTogether) {
  EXPECT_EQ(formatted("package a\nx := 1\ny := 2\n\n\n\nz if x\ndefault w := 3\nv := 4"),
            "package a\n\nx := 1\ny := 2\n\nz if x\n\ndefault w := 3\n\nv := 4\n");
}

TEST(Format, SortsImportsWithinTheirGroups) {
  EXPECT_EQ(formatted("package a\nimport input.z\nimport data.b as c # why\nimport data.a\n\n"
                      "# more\nimport data.c\np := 1"),
            "package a\n\nimport data.a\nimport data.b as c # why\nimport input.z\n\n"
            "# more\nimport data.c\n\np := 1\n");
}

TEST(Format, KeepsCommentsWhereTheyAre) {
  std::string const text =
      "# about\n\n# a\npackage a # here\n\n# of p\np if { # open\n\t# first\n\tx == 1 # one\n\n"
      "\t# last\n} # close\n\n# the end\n";
  EXPECT_EQ(formatted(text),
            "# about\n\n# a\npackage a # here\n\n# of p\np if { # open\n"
            "\t# first\n\tx == 1 # one\n\t# last\n} # close\n\n# the end\n");
  EXPECT_EQ(formatted("package a\np := [ # open\n1, # one\n# two\n2\n# end\n]"),
            "package a\n\np := [ # open\n\t1, # one\n\t# two\n\t2,\n\t# end\n]\n");
}

TEST(Format, LeavesWhatHoldsACommentInAnOddPlace) {
  EXPECT_EQ(formatted("package a\np if {\n  x == # odd\n    1\n}"),
            "package a\n\np if {\n\tx == # odd\n    1\n}\n");
}

TEST(Format, BreaksCollectionsWhereTheyWereBroken) {
  EXPECT_EQ(formatted("package a\np := {\"a\":1,\n\"b\":[1,2,\n3]}"),
            "package a\n\np := {\n\t\"a\": 1,\n\t\"b\": [\n\t\t1, 2,\n\t\t3,\n\t],\n}\n");
  EXPECT_EQ(formatted("package a\np := [x|\nx:=input.a[_]\nx>1]"),
            "package a\n\np := [x |\n\tx := input.a[_]\n\tx > 1\n]\n");
  EXPECT_EQ(formatted("package a\np := f(\n1,\n2)"), "package a\n\np := f(\n\t1,\n\t2,\n)\n");
}

TEST(Format, WritesParenthesesWhereTheyAreNeeded) {
  auto const body = [](std::string const& text) {
    auto const out = formatted("package a\np if " + text);
    return out.substr(out.find(" if ") + 4);
  };
  EXPECT_EQ(body("((x)) == (y+1)"), "x == y + 1\n");
  EXPECT_EQ(body("x == (y == z)"), "x == (y == z)\n");
  EXPECT_EQ(body("x := 1+2*3"), "x := 1 + (2 * 3)\n");
  EXPECT_EQ(body("(a in b) == c"), "(a in b) == c\n");
  EXPECT_EQ(body("x := (k, v in xs)"), "x := (k, v in xs)\n");
  EXPECT_EQ(body("x := [(a|b)]"), "x := [(a | b)]\n");
  EXPECT_EQ(body("x := [(a+b) | c]"), "x := [(a + b) | c]\n");
  EXPECT_EQ(body("{ (a|b) == c; d }"), "{\n\t(a | b) == c\n\td\n}\n");
  EXPECT_EQ(body("{ {1} }"), "{\n\t{1}\n}\n");
  EXPECT_EQ(body("x == -y"), "x == -y\n");
}

TEST(Format, WritesElseAndWith) {
  EXPECT_EQ(formatted("package a\np := 1 if { x\n y } else := 2 if { z\n w }\nelse := 3"),
            "package a\n\np := 1 if {\n\tx\n\ty\n} else := 2 if {\n\tz\n\tw\n}\n\nelse := 3\n");
  EXPECT_EQ(formatted("package a\np if { x with input.a as 1\n with data.b as 2\n y }"),
            "package a\n\np if {\n\tx with input.a as 1\n\t\twith data.b as 2\n\ty\n}\n");
}

TEST(Format, WritesReferencesWithDotsWherePossible) {
  EXPECT_EQ(formatted("package a[\"b\"]\np := input[\"x\"][\"y z\"].if[\"else\"][0]"),
            "package a.b\n\np := input.x[\"y z\"].if[\"else\"][0]\n");
}

TEST(Format, KeepsEveryModuleOfOpasCases) {
  if (!fs::exists(kCases / "v1.jsonl")) SP_NOT_TESTED("put rego-cases into ../shared/data");
  std::ifstream stream{kCases / "v1.jsonl"};
  auto count = 0;
  for (std::string line; std::getline(stream, line);) {
    auto const parsed = json::parse(line);
    ASSERT_TRUE(parsed);
    auto const* const modules = json::find_array(parsed->as_object(), "modules");
    if (modules == nullptr) continue;
    for (auto const& module : *modules) {
      auto const out = formatted(std::string{json::view(module.as_string())});
      EXPECT_TRUE(out.starts_with("package") || out.starts_with('#')) << out;
      ++count;
    }
  }
  EXPECT_THAT(count, Gt(1000));
}

}  // namespace
}  // namespace sallyport::rego
