// The engine as a whole: what a policy says.
#include "src/rego/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

using testing::answer;
using testing::value_of_p;

TEST(Engine, ARuleWithoutASuccessfulBodyIsUndefinedUnlessItHasADefault) {
  EXPECT_EQ(value_of_p("p if 1 == 2"), "undefined");
  EXPECT_EQ(value_of_p("default p := 7\np := 8 if input.x"), "7");
  EXPECT_EQ(value_of_p("p if false"), "undefined");
}

TEST(Engine, FalseAndUndefinedFailABodyAndNegationTurnsBoth) {
  EXPECT_EQ(value_of_p("p if not input.missing"), "true");
  EXPECT_EQ(value_of_p("p if not q\nq := false"), "true");
  EXPECT_EQ(value_of_p("p if not input.x", {.input = R"({"x": 0})"}), "undefined");
}

TEST(Engine, TwoValuesOfACompleteRuleAreAConflict) {
  auto const* const rules = "p := 1 if input.a\np := 2 if input.b";
  EXPECT_EQ(value_of_p(rules, {.input = R"({"a": 1})"}), "1");
  EXPECT_EQ(value_of_p(rules, {.input = R"({"a": 1, "b": 1})"}),
            "eval_conflict_error: complete rules must not produce multiple outputs");
}

// A rule in a body that is not needed any more may fail as it likes.
TEST(Engine, TheFirstOfBodiesWithTheSameConstantIsEnough) {
  std::string const clash = "\nq := 1\nq := 2 if input.x";
  testing::Asked const asked{.input = R"({"x": 1})"};
  for (std::string const value : {"1", "[]", "{}", R"([1, {"a": {2, 3}}])"}) {
    auto const rules = "p := " + value + "\np := " + value + " if q" + clash;
    EXPECT_EQ(value_of_p(rules, asked), value);
  }
  EXPECT_EQ(value_of_p("p := {1, 2}\np := {2, 1} if q" + clash, asked), "{1, 2}");
  EXPECT_EQ(value_of_p("p := [1]\np := [2] if q" + clash, asked),
            "eval_conflict_error: complete rules must not produce multiple outputs");
}

TEST(Engine, TwoValuesOfOneBodyAreAConflict) {
  EXPECT_EQ(value_of_p("p := x if some x in input", {.input = "[1, 1.0]"}), "1");
  EXPECT_EQ(value_of_p("p := x if some x in input", {.input = "[1, 2]"}),
            "eval_conflict_error: complete rules must not produce multiple outputs");
}

TEST(Engine, TwoValuesOfAFunctionAreAConflict) {
  EXPECT_EQ(value_of_p("p := f(1)\nf(x) := 1 if x > 0\nf(x) := 2 if input"),
            "eval_conflict_error: functions must not produce multiple outputs for same inputs");
}

TEST(Engine, TwoValuesOfAKeyAreAConflict) {
  EXPECT_EQ(value_of_p("p[k] := v if some v, k in input", {.input = R"(["a", "b"])"}),
            R"({"a": 0, "b": 1})");
  EXPECT_EQ(value_of_p("p[k] := v if some v, k in input", {.input = R"(["a", "a"])"}),
            "eval_conflict_error: object keys must be unique");
  EXPECT_EQ(value_of_p("p := {k: v | some v, k in input}", {.input = R"(["a", "a"])"}),
            "eval_conflict_error: object keys must be unique");
}

TEST(Engine, ElseIsTriedInOrder) {
  auto const* const rules = "p := 1 if input.a\nelse := 2 if input.b\nelse := 3";
  EXPECT_EQ(value_of_p(rules, {.input = R"({"a": 1, "b": 1})"}), "1");
  EXPECT_EQ(value_of_p(rules, {.input = R"({"b": 1})"}), "2");
  EXPECT_EQ(value_of_p(rules), "3");
}

TEST(Engine, AnElseIsNotTriedAfterALoopThatSucceeded) {
  EXPECT_EQ(value_of_p("p := 1 if { some x in input; x > 1 } else := 2", {.input = "[0, 2, 3]"}),
            "1");
}

TEST(Engine, PartialSetsAreEmptyNotUndefined) {
  EXPECT_EQ(value_of_p("p contains x if { some x in input; x > 5 }", {.input = "[1]"}), "set()");
  EXPECT_EQ(value_of_p("p contains x if some x in input\np contains 9", {.input = "[3, 1, 3]"}),
            "{1, 3, 9}");
}

TEST(Engine, RuleNamesMayHaveVariablesAnywhere) {
  EXPECT_EQ(value_of_p("p[x].q[y] := x + y if { some x in [1, 2]; some y in [3] }"),
            R"({1: {"q": {3: 4}}, 2: {"q": {3: 5}}})");
  EXPECT_EQ(value_of_p("p[x] contains y if { some x, y in [\"a\", \"b\"] }\np.k.l := 1"),
            R"({0: {"a"}, 1: {"b"}, "k": {"l": 1}})");
}

TEST(Engine, PatternsAreTakenApartOnBothSides) {
  EXPECT_EQ(value_of_p("p := [x, y] if [x, {\"k\": [1, y]}] = [input.a, {\"k\": input.b}]",
                       {.input = R"({"a": 5, "b": [1, 6]})"}),
            "[5, 6]");
  EXPECT_EQ(value_of_p("p := [x, y, z] if [x, [y, 2]] = [[y, z], [1, z]]"), "[[1, 2], 1, 2]");
  EXPECT_EQ(value_of_p("p contains x if [x, 2] = input[_]", {.input = "[[1, 2], [3, 4], [5, 2]]"}),
            "{1, 5}");
}

TEST(Engine, SetsAreSearchedByPattern) {
  EXPECT_EQ(value_of_p("p contains x if q[[x, 2]]\nq contains [1, 2]\nq contains [3, 4]"), "{1}");
}

TEST(Engine, ComprehensionsSeeTheVariablesAroundThem) {
  EXPECT_EQ(value_of_p("p[k] := n if { some k, xs in input; n := [x | some x in xs; x > k] }",
                       {.input = "[[0, 1], [1, 2, 3]]"}),
            "{0: [1], 1: [2, 3]}");
}

TEST(Engine, EveryHoldsForAllAndForNone) {
  EXPECT_EQ(value_of_p("p if every k, v in input { v > k }", {.input = "[1, 2, 3]"}), "true");
  EXPECT_EQ(value_of_p("p if every v in input { v > 1 }", {.input = "[1, 2]"}), "undefined");
  EXPECT_EQ(value_of_p("p if every _ in input { false }", {.input = "[]"}), "true");
  EXPECT_EQ(value_of_p("p if every _ in input { true }", {.input = "1"}), "undefined");
  EXPECT_EQ(
      value_of_p("p if every v in input { some w in input; w == v + 1 }", {.input = "[1, 2]"}),
      "undefined");
}

TEST(Engine, BaseDataAndRulesAreOneDocument) {
  auto const* const module = "package a.b\np := 1\nq if false\nf(x) := x";
  EXPECT_EQ(answer(module, "data.a", {.data = R"({"a": {"c": 2, "b": {"d": 3}}})"}),
            R"({"b": {"d": 3, "p": 1}, "c": 2})");
  EXPECT_EQ(value_of_p("p contains [x, y] if data.base[x].v = y",
                       {.data = R"({"base": {"k": {"v": 1}, "l": {"w": 2}}})"}),
            R"({["k", 1]})");
  EXPECT_EQ(
      value_of_p("p contains x if data.t[x] == 5\nq := 5\nr := 6", {.data = R"({"t": {"z": 5}})"}),
      "rego_recursion_error: rule data.t.p is recursive: data.t.p -> data.t.p");
}

TEST(Engine, WithReplacesInputAndForgetsAfterwards) {
  EXPECT_EQ(value_of_p("p := [a, b] if { a := q with input.x as 1; b := q }\nq := input.x",
                       {.input = R"({"x": 5})"}),
            "[1, 5]");
  EXPECT_EQ(value_of_p("p := [x | some y in [1, 2]; x := q with input as y]\nq := input"),
            "[1, 2]");
}

TEST(Engine, WithIsEnteredAgainWhenALoopInsideGoesOn) {
  EXPECT_EQ(value_of_p("p := [[x, y] | q[x] with input as [3, 4]; y := input]\nq := input",
                       {.input = "9"}),
            "[[0, 9], [1, 9]]");
  EXPECT_EQ(value_of_p("p contains [x, y] if { q[x] with input as [3, 4]; y = input[_]; y > x }\n"
                       "q contains x if some x in input",
                       {.input = "[3, 5]"}),
            "{[3, 5], [4, 5]}");
}

TEST(Engine, WithReplacesDataWhereverItIsRead) {
  auto const* const rules =
      "p := [a, b, c] if { a := q with data.base.x as 1; b := q with data.t.r as 2; c := q }\n"
      "q := [data.base.x, r]\nr := 7";
  EXPECT_EQ(value_of_p(rules, {.data = R"({"base": {"x": 5}})"}), "[[1, 7], [5, 2], [5, 7]]");
}

TEST(Engine, WithReplacesAllData) {
  auto const* const module = "package t\nq := data.t.r\nr := 7";
  EXPECT_EQ(answer(module, "data.t.q"), "7");
  EXPECT_EQ(answer(module, "data.t.q with data as {\"t\": {\"r\": 2}}"), "undefined");
  EXPECT_EQ(answer("package t\nq := data.base", "data.t.q with data.base as 2"), "2");
}

TEST(Engine, ObjectsWithKeysOfVariablesAreMatched) {
  EXPECT_EQ(value_of_p("p := y if { k := input.k; {\"a\": [y, k]} = {k: [5, \"a\"]} }",
                       {.input = R"({"k": "a"})"}),
            "rego_unsafe_var_error: var y is unsafe");
  EXPECT_EQ(value_of_p("p := y if { k := input.k; x := {k: 5}; {\"a\": y} = x }",
                       {.input = R"({"k": "a"})"}),
            "5");
}

TEST(Engine, PrintReachesTheHost) {
  struct Printer final : Host {
    void print(std::string_view text) override { printed += std::string{text} + ";"; }
    std::string printed;
  } host;

  value_of_p("p if print(\"x is\", input.x, input.y)",
             {.input = R"({"x": [1]})", .evaluation = {.host = &host}});

  EXPECT_EQ(host.printed, "x is [1] <undefined>;");
}

TEST(Engine, KnowsWhetherAPolicyUsesABuiltIn) {
  auto const uses = [](std::string const& rules) {
    auto const compiled = compile({{"a.rego", "package t\n" + rules}}, {.refused_builtins = {}});
    EXPECT_TRUE(compiled) << rules;
    return compiled && uses_builtin(*compiled.policy, "http.send");
  };
  EXPECT_FALSE(uses("p if input.url == \"http.send\""));
  EXPECT_TRUE(uses("p if http.send(input).status_code == 200"));
  EXPECT_TRUE(uses("f(x) := [y | y := http.send(x)]"));
  EXPECT_TRUE(uses("p if q with f as http.send\nq := f(input)\nf(x) := x"));
}

TEST(Engine, AMockedBuiltInIsNotCalled) {
  auto const* const rules =
      "p := r.body if { r := q with http.send as f }\n"
      "q := http.send({\"method\": \"get\", \"url\": \"u\"})\nf(x) := {\"body\": x.url}";
  EXPECT_EQ(value_of_p(rules, {.compile = {.refused_builtins = {}}}), "\"u\"");
  EXPECT_EQ(value_of_p("p if http.send({\"method\": \"get\", \"url\": \"u\"})",
                       {.compile = {.refused_builtins = {}}}),
            "eval_cancel_error: http.send: it is off here, so nothing was sent; replace it in "
            "tests: with http.send as …");
}

TEST(Engine, WithReplacesFunctions) {
  EXPECT_EQ(value_of_p("p := [a, b, c] if {\n"
                       "  a := q with count as 9\n"
                       "  b := q with count as f\n"
                       "  c := q\n}\n"
                       "q := count(input)\nf(x) := count(x) + 100",
                       {.input = "[1, 2]"}),
            "[9, 102, 2]");
  EXPECT_EQ(value_of_p("p := [a, b] if { a := q with f as 1; b := q }\nq := f(0)\nf(x) := x"),
            "[1, 0]");
}

TEST(Engine, AQueryMayReplaceWhatTheModulesNeverDo) {
  auto const* const module = "package t\np := [count(q), r]\nq := {1, 2}\nr := 3";
  EXPECT_EQ(answer(module, "data.t.p"), "[2, 3]");
  EXPECT_EQ(answer(module, "data.t.p with count as 7"), "[7, 3]");
  EXPECT_EQ(answer(module, "data.t.p with data.t.r as 8"), "[2, 8]");
  EXPECT_EQ(answer(module, "data.t.p with data.t.q as {1}"), "[1, 3]");
}

TEST(Engine, WalkGivesEveryPath) {
  EXPECT_EQ(
      value_of_p("p := [path | walk(input, [path, 1])]", {.input = R"({"a": [1, {"b": 1}]})"}),
      R"([["a", 0], ["a", 1, "b"]])");
}

TEST(Engine, ErrorsOfBuiltInsAreUndefinedUnlessStrict) {
  auto const* const rules = "p := 1 / input.x";
  EXPECT_EQ(value_of_p(rules, {.input = R"({"x": 0})"}), "undefined");
  EXPECT_EQ(value_of_p(rules, {.input = R"({"x": 0})", .compile = {.strict_builtin_errors = true}}),
            "eval_builtin_error: div: divide by zero");
}

TEST(Engine, TheFirstErrorOfABuiltInIsReported) {
  auto const compiled = compile(
      {{"a.rego", "package t\np contains 1 if 1 / input.x\np contains 2 if 1 % input.x"}}, {});
  ASSERT_TRUE(compiled);
  auto const entry = compile_entry(compiled.policy, "data.t.p");
  Evaluation evaluation;
  auto const input = *parse_json(R"({"x": 0})", evaluation.arena());

  auto const outcome = evaluation.value_of(*entry.query, input, {});

  EXPECT_FALSE(outcome.error);
  ASSERT_TRUE(outcome.built_in_error);
  EXPECT_EQ(outcome.built_in_error->message, "div: divide by zero");
  EXPECT_EQ(outcome.built_in_error->file, "a.rego");
  EXPECT_EQ(outcome.built_in_error->at.row, 2U);
}

TEST(Engine, AnErrorInAQueryIsNotBlamedOnASource) {
  auto const compiled = compile({{"a.rego", "package t"}}, {.strict_builtin_errors = true});
  auto const query = compile_query(compiled.policy, "1 / input.x");
  Evaluation evaluation;
  auto const input = *parse_json(R"({"x": 0})", evaluation.arena());

  auto const outcome = evaluation.value_of(*query.query, input, {});

  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->file, "");
  EXPECT_EQ(outcome.error->at.row, 1U);
}

TEST(Engine, IndexedRulesAnswerAsTheOthersDo) {
  std::string rules;
  for (int i = 0; i < 20; ++i) {
    rules += "p contains " + std::to_string(i) + " if input.x == " + std::to_string(i % 5) + "\n";
  }
  rules += "p contains 99 if input.x in {3, \"c\"}\np contains 100 if input.y\n";
  EXPECT_EQ(value_of_p(rules, {.input = R"({"x": 3.0})"}), "{3, 8, 13, 18, 99}");
  EXPECT_EQ(value_of_p(rules, {.input = R"({"x": "c", "y": 1})"}), "{99, 100}");
  EXPECT_EQ(value_of_p(rules, {.input = R"({"x": [3]})"}), "set()");
  EXPECT_EQ(value_of_p(rules), "set()");
}

TEST(Engine, AnEntryThatIsNoRuleIsRefusedAndTheRulesAreNamed) {
  auto const compiled = compile({{"a.rego", "package t\np := 1\nf(x) := x"}}, {});
  ASSERT_TRUE(compiled);

  auto const wrong = compile_entry(compiled.policy, "data.t.q");
  auto const malformed = compile_entry(compiled.policy, "data.t[");
  auto const function = compile_entry(compiled.policy, "data.t.f");

  ASSERT_EQ(wrong.errors.size(), 1U);
  EXPECT_EQ(wrong.errors[0].message, "no rule data.t.q");
  EXPECT_EQ(wrong.errors[0].hint, "the policy defines: data.t.p");
  EXPECT_FALSE(malformed.query);
  EXPECT_FALSE(function.query);
  EXPECT_TRUE(compile_entry(compiled.policy, "data.t.p").query);
  EXPECT_TRUE(compile_entry(compiled.policy, "data.t").query);
}

TEST(Engine, AQueryAnswersWithValuesAndVariables) {
  auto const compiled = compile({{"a.rego", "package t\nq := [4, 5]"}}, {});
  auto const query = compile_query(compiled.policy, "x := data.t.q[i]; x > 3");
  ASSERT_TRUE(query.query);
  Evaluation evaluation;

  auto const result = evaluation.answers_of(*query.query, {}, {});

  ASSERT_EQ(result.answers.size(), 2U);
  ASSERT_EQ(result.answers[1].expressions.size(), 2U);
  EXPECT_EQ(to_rego(result.answers[1].expressions[1]), "true");
  ASSERT_EQ(result.answers[1].bindings.size(), 2U);
  std::string all;
  for (auto const& binding : result.answers[1].bindings) {
    all += std::string{binding.name} + "=" + to_rego(binding.value) + " ";
  }
  EXPECT_TRUE(all == "x=5 i=1 " || all == "i=1 x=5 ") << all;
}

}  // namespace
}  // namespace sallyport::rego
