// What the passes leave for the planner.
#include "src/rego/check/check_testing.hpp"

#include <gmock/gmock.h>

namespace sallyport::rego::check {
namespace {

std::string rewritten(std::string_view rules) {
  CheckTest const test{{"package a\n" + std::string{rules}}};
  EXPECT_THAT(test.messages(), testing::IsEmpty()) << rules;
  return test.rules();
}

TEST(Rewriting, ResolvesRulesOfThePackageAndImports) {
  CheckTest const test{{"package a.b\nimport data.c as d\np if { q; d.e }\nq := 1"}};
  EXPECT_THAT(test.messages(), testing::IsEmpty());
  EXPECT_EQ(test.rules(), "p := true\n  data.a.b.q\n  data.c.e\nq := 1\n");
}

TEST(Rewriting, LiftsCallsBeforeWhatUsesThem) {
  EXPECT_EQ(rewritten("p if count(split(input.x, \",\")) > 1"),
            "p := true\n  eq(v2, input.x)\n  split(v2, \",\", v0)\n  count(v0, v1)\n  gt(v1, 1)\n");
}

TEST(Rewriting, LiftsOutOfANegatedExpression) {
  EXPECT_EQ(rewritten("p if not startswith(input.x, \"a\")"),
            "p := true\n  eq(v0, input.x)\n  not startswith(v0, \"a\")\n");
}

TEST(Rewriting, KeepsOperandsInsideANegatedExpressionThatTheImportMakesABody) {
  EXPECT_EQ(rewritten("import future.keywords.not\np if not startswith(input.x, \"a\")"),
            "p := true\n  not { eq(v0, input.x); startswith(v0, \"a\") }\n");
}

TEST(Rewriting, ComparesWithEqInRules) {
  EXPECT_EQ(rewritten("p if input.x == 1"), "p := true\n  eq(input.x, 1)\n");
}

TEST(Rewriting, IteratesWithSomeIn) {
  EXPECT_EQ(rewritten("p if { some k, v in input.xs; v > k }"),
            "p := true\n  eq(v0, input.xs[v1])\n  gt(v0, v1)\n");
}

TEST(Rewriting, LiftsPatternsOfParametersAlsoIntoElse) {
  EXPECT_EQ(rewritten("f([x, _], 1) := x if { x > 1 } else := 2"),
            "f(v0, v1) := v2\n  eq(v0, [v2, v3])\n  eq(v1, 1)\n  gt(v2, 1)\n"
            "else f(v0, v1) := 2\n  eq(v0, [v4, v5])\n  eq(v1, 1)\n");
}

TEST(Rewriting, ComparesParametersOfOneName) {
  EXPECT_EQ(rewritten("f(x, x) := x"), "f(v0, v1) := v0\n  eq(v1, v0)\n");
}

TEST(Rewriting, ComputesHeadsInTheirBodies) {
  EXPECT_EQ(rewritten("p contains {\"a\": input.x} if true"),
            "p contains v0\n  true\n  eq(v1, input.x)\n  eq(v0, {\"a\": v1})\n");
  EXPECT_EQ(rewritten("p[input.x] := 1"), "p[v0] := 1\n  eq(v0, input.x)\n");
}

TEST(Rewriting, GivesANameInTwoComprehensionsTwoVariables) {
  EXPECT_EQ(rewritten("p if { a := [x | x = input.a[_]]; b := [x | x = input.b[_]]; a == b }"),
            "p := true\n  eq(v0, [v2 | eq(v2, input.a[v3])])\n"
            "  eq(v1, [v4 | eq(v4, input.b[v5])])\n  eq(v0, v1)\n");
}

TEST(Rewriting, LetsAComprehensionSeeTheVariablesAroundIt) {
  EXPECT_EQ(rewritten("p if { y := [z | z = x + 1]; x = 1; y == [2] }"),
            "p := true\n  eq(v1, 1)\n  eq(v0, [v2 | plus(v1, 1, v3); eq(v2, v3)])\n"
            "  eq(v0, [2])\n");
}

TEST(Rewriting, OrdersBodiesByWhatTheyNeed) {
  EXPECT_EQ(rewritten("p if { not q[x]; x = input.xs[_] }\nq := {1}"),
            "p := true\n  eq(v0, input.xs[v1])\n  not data.a.q[v0]\nq := {1}\n");
}

TEST(Rewriting, BindsTheDomainOfEvery) {
  EXPECT_EQ(rewritten("p if every x in input.xs { x > 1 }"),
            "p := true\n  eq(v2, input.xs)\n  every v0, v1 in v2 { gt(v1, 1) }\n");
}

TEST(Rewriting, NamesWhatWithReplaces) {
  EXPECT_EQ(rewritten("p if q with input.a as input.b with time.now_ns as 1 with count as f\n"
                      "q := true\nf(_) := 1"),
            "p := true\n  eq(v0, input.b)\n"
            "  data.a.q with input.a as v0 with time.now_ns as 1 with count as function data.a.f\n"
            "q := true\nf(v0) := 1\n");
}

TEST(Rewriting, MakesTemplatesCalls) {
  EXPECT_EQ(rewritten("p := $\"a{input.x}{1}\""),
            "p := v1\n  eq(v2, {v0 | eq(v0, input.x)})\n"
            "  internal.template_string([\"a\", v2, {1}], v1)\n");
}

TEST(Rewriting, PrintsOperandsThatMayBeUndefined) {
  EXPECT_EQ(rewritten("p if print(\"x\", input.x)"),
            "p := true\n  eq(v2, {v0 | eq(v0, \"x\")})\n  eq(v3, {v1 | eq(v1, input.x)})\n"
            "  internal.print([v2, v3])\n");
}

TEST(Rewriting, ReadsMetadata) {
  EXPECT_EQ(rewritten("# METADATA\n# title: T\np := rego.metadata.rule().title"),
            "p := v1\n  eq(v0, {\"scope\": \"rule\", \"title\": \"T\"})\n  eq(v1, v0.title)\n");
}

TEST(Rewriting, PutsRulesAfterThoseThatTheyUse) {
  CheckTest const test{{"package a\np if data.b\nq := 1", "package b\nr := data.a.q"}};
  std::vector<std::string_view> names;
  for (auto const* const rule : test.checked().order)
    names.push_back(rule->reference->items[0]->name);
  EXPECT_THAT(names, testing::ElementsAre("q", "r", "p"));
}

TEST(Rewriting, KeepsTheNamesOfTheAuthor) {
  CheckTest const test{{"package a\np := x if x := 1"}};
  auto const& rule = *test.checked().modules[0]->rules[0];
  EXPECT_EQ(test.checked().original_names.at(rule.value->name), "x");
}

TEST(Queries, ListTheirVariables) {
  CheckTest test{{"package a\np := 1"}};
  auto const query = test.query("x := data.a.p; [y | y = x] = z; some k; input[k]");
  ASSERT_THAT(test.messages(), testing::IsEmpty());
  std::vector<std::string_view> names;
  for (auto const& variable : query.variables) names.push_back(variable.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("x", "z", "k"));
  EXPECT_EQ(query.expressions.size(), 3U);
}

TEST(Queries, CaptureTheValueOfAnExpression) {
  CheckTest test{{"package a\np := 1"}};
  auto const query = test.query("data.a.p");
  EXPECT_EQ(CheckTest::to_text(query.body), "eq(data.a.p, v0)");
  EXPECT_THAT(query.expressions, testing::ElementsAre(0U));
  EXPECT_EQ(query.variable_count, 1U);
}

TEST(Queries, AnswerAComparisonWithItsResult) {
  CheckTest test{{"package a"}};
  EXPECT_EQ(CheckTest::to_text(test.query("1 == 2").body), "equal(1, 2, v0)");
}

TEST(Queries, FailWhereOneOfSeveralExpressionsIsFalse) {
  CheckTest test{{"package a"}};
  auto const query = test.query("input.x; y = 1");
  EXPECT_EQ(CheckTest::to_text(query.body), "eq(input.x, v0)\neq(v1, 1)\nv0");
  EXPECT_THAT(query.expressions, testing::ElementsAre(0U, CheckedQuery::kTrue));
}

}  // namespace
}  // namespace sallyport::rego::check
