// What the passes refuse, where and in which words.
#include "src/rego/check/check_testing.hpp"

#include <gmock/gmock.h>

namespace sallyport::rego::check {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> errors_of(std::string_view rules, CompileOptions options = {}) {
  return CheckTest{{"package a\n" + std::string{rules}}, std::move(options)}.messages();
}

CompileOptions strict() {
  CompileOptions options;
  options.strict = true;
  return options;
}

TEST(Locals, MayNotBeDeclaredTwice) {
  EXPECT_THAT(errors_of("p if { x := 1; x := 2 }"),
              ElementsAre("rego_compile_error 2:16 var x assigned above"));
  EXPECT_THAT(errors_of("p if { x = 1; x := 2 }"),
              ElementsAre("rego_compile_error 2:15 var x referenced above"));
  EXPECT_THAT(errors_of("p if { some x; x := 2 }"),
              ElementsAre("rego_compile_error 2:16 var x declared above"));
  EXPECT_THAT(errors_of("f(x) if { x := 2 }"),
              ElementsAre("rego_compile_error 2:11 arg x redeclared"));
}

TEST(Locals, MustBeUsedWhereSomeDeclaresThem) {
  EXPECT_THAT(errors_of("p if { some x; input.y }"),
              ElementsAre("rego_compile_error 2:8 declared var x unused"));
  EXPECT_THAT(errors_of("p if { some x in [1]; input.y }"), IsEmpty());
  EXPECT_THAT(errors_of("p := [x | some x; input.y[x]]"), IsEmpty());
}

TEST(Locals, ShadowWhatIsOutside) {
  EXPECT_THAT(errors_of("p if { x := 1; y := [x | x := 2]; x == 1; y == [2] }"), IsEmpty());
}

TEST(Locals, AreNotAssignedInWhatIsNegated) {
  EXPECT_THAT(errors_of("p if not x := 1"),
              ElementsAre("rego_compile_error 2:6 cannot assign vars inside negated expression"));
}

TEST(Locals, AreVariablesOnly) {
  EXPECT_THAT(errors_of("p if { [x, 1] := [1, 1]; x }"),
              ElementsAre("rego_compile_error 2:12 cannot assign to number"));
  EXPECT_THAT(errors_of("p if data.x := 1"),
              ElementsAre("rego_compile_error 2:6 cannot assign to ref"));
}

TEST(Locals, DoNotHideFunctions) {
  EXPECT_THAT(errors_of("p if { f := 1; f(2) }\nf(_) := 1"),
              ElementsAre("rego_compile_error 2:16 called function f shadowed"));
}

TEST(Shadowing, OfInputAndDataIsRefused) {
  EXPECT_THAT(errors_of("p if { input := 1; input == 1 }"),
              ElementsAre("rego_compile_error 2:8 variables must not shadow input (use a different "
                          "variable name)"));
  EXPECT_THAT(errors_of("f(data) := 1"),
              ElementsAre("rego_compile_error 2:3 args must not shadow data (use a different "
                          "variable name)"));
  EXPECT_THAT(
      errors_of("data := 1"),
      ElementsAre("rego_compile_error 2:1 rules must not shadow data (use a different rule name)"));
}

TEST(Shadowing, OfImportsIsRefused) {
  EXPECT_THAT(errors_of("import data.x\nimport data.y as x"),
              ElementsAre("rego_compile_error 3:1 import must not shadow import data.x"));
}

TEST(Conflicts, OfKindsAreRefused) {
  EXPECT_THAT(errors_of("p := 1\np contains 2"),
              ElementsAre("rego_type_error 2:1 conflicting rules data.a.p found"));
  EXPECT_THAT(errors_of("f(x) := x\nf(x, y) := x + y"),
              ElementsAre("rego_type_error 2:1 conflicting rules data.a.f found"));
  EXPECT_THAT(errors_of("p := 1\np[x] := 2 if x := 3"),
              ElementsAre("rego_type_error 2:1 conflicting rules data.a.p found"));
}

TEST(Conflicts, OfDefaultsAreRefused) {
  EXPECT_THAT(errors_of("default p := 1\ndefault p := 2"),
              ElementsAre("rego_type_error 3:1 multiple default rules data.a.p found at row 2, 3"));
}

TEST(Conflicts, OfARuleWithWhatStandsBelowItAreRefused) {
  EXPECT_THAT(errors_of("p := 1\np.q := 2"),
              ElementsAre("rego_type_error 2:1 rule data.a.p conflicts with:"));
  EXPECT_THAT(CheckTest({"package a\np := 1", "package a.p"}).messages(),
              ElementsAre("rego_type_error 2:1 package data.a.p conflicts with rule data.a.p"));
  EXPECT_THAT(errors_of("p[x] := 1 if x := \"y\"\np.q := 2"), IsEmpty());
}

TEST(Functions, MustExist) {
  EXPECT_THAT(errors_of("p if foo.bar(1)"),
              ElementsAre("rego_type_error 2:6 undefined function foo.bar"));
  EXPECT_THAT(errors_of("p if q(1)\nq := 1"),
              ElementsAre("rego_type_error 2:6 undefined function data.a.q"));
}

TEST(Functions, TakeAsManyOperandsAsTheyHaveParameters) {
  EXPECT_THAT(errors_of("p := f(1, 2)\nf(x) := x"),
              ElementsAre("rego_type_error 2:6 function data.a.f has arity 1, got 2 arguments"));
  EXPECT_THAT(errors_of("p if startswith(\"a\")"),
              ElementsAre("rego_type_error 2:6 startswith: arity mismatch"));
}

TEST(Functions, ThatAreRefusedAreNotCalled) {
  EXPECT_THAT(errors_of("p if http.send({}).status_code == 200"),
              testing::Contains(
                  testing::HasSubstr("unsafe built-in function calls in expression: http.send")));
}

TEST(Functions, WithoutAResultAreNoValues) {
  EXPECT_THAT(errors_of("p := print(1)"),
              ElementsAre("rego_type_error 2:6 print(1) used as value"));
}

TEST(Recursion, IsRefused) {
  EXPECT_THAT(errors_of("p if q\nq if p"),
              ElementsAre("rego_recursion_error 2:1 rule data.a.p is recursive: data.a.p -> "
                          "data.a.q -> data.a.p",
                          "rego_recursion_error 3:1 rule data.a.q is recursive: data.a.q -> "
                          "data.a.p -> data.a.q"));
  EXPECT_THAT(errors_of("f(x) := f(x - 1)"),
              ElementsAre("rego_recursion_error 2:1 rule data.a.f is recursive: data.a.f -> "
                          "data.a.f"));
}

TEST(Recursion, GoesThroughPackages) {
  EXPECT_THAT(errors_of("p if data.a"), testing::SizeIs(1));
  EXPECT_THAT(errors_of("p if data[x].q\nx := 1"), testing::SizeIs(1));
  EXPECT_THAT(CheckTest({"package a\np if data.b", "package b\nq := 1"}).messages(), IsEmpty());
}

TEST(Recursion, IsFoundInChainsOfAnyLength) {
  std::string rules;
  for (auto i = 0; i < 5000; ++i)
    rules += "p" + std::to_string(i) + " if p" + std::to_string(i + 1) + "\n";
  EXPECT_THAT(errors_of(rules + "p5000 := true"), IsEmpty());
}

TEST(Safety, WantsEveryVariableBound) {
  EXPECT_THAT(errors_of("p if x > 1"), ElementsAre("rego_unsafe_var_error 2:6 var x is unsafe"));
  EXPECT_THAT(errors_of("p if not input.x[y]"),
              ElementsAre("rego_unsafe_var_error 2:6 var y is unsafe"));
  EXPECT_THAT(errors_of("p contains x"), ElementsAre("rego_unsafe_var_error 2:12 var x is unsafe"));
  EXPECT_THAT(errors_of("p := [x | y = 1]"),
              ElementsAre("rego_unsafe_var_error 2:6 var x is unsafe"));
  EXPECT_THAT(errors_of("p if { x = [x | x = 1] }"),
              ElementsAre("rego_unsafe_var_error 2:8 var x is unsafe"));
}

TEST(Safety, ReadsTheRightOfAnAssignmentOnly) {
  EXPECT_THAT(errors_of("p if { x := y; x = 7 }"),
              ElementsAre("rego_unsafe_var_error 2:8 var y is unsafe"));
  EXPECT_THAT(errors_of("p if { x = y; x = 7 }"), IsEmpty());
}

// As OPA does it: a pattern of an object binds nothing where it stands left of a comprehension.
TEST(Safety, DestructuresComprehensions) {
  EXPECT_THAT(errors_of("p := x if { [x] = [y | y = 1] }"), IsEmpty());
  EXPECT_THAT(errors_of("p := x if { [y | y = 1] = [x] }"), IsEmpty());
  EXPECT_THAT(errors_of("p := x if { {k: v | some k, v in input} = {\"a\": x} }"), IsEmpty());
  EXPECT_THAT(errors_of("p := x if { {\"a\": x} = {k: v | some k, v in input} }"),
              ElementsAre("rego_unsafe_var_error 2:13 var x is unsafe"));
}

TEST(Safety, DestructuresArraysAndObjects) {
  EXPECT_THAT(errors_of("p if { [x, {\"a\": y}] = input.z; x > y }"), IsEmpty());
  EXPECT_THAT(errors_of("p if { {x} = input.z; x > 1 }"),
              ElementsAre("rego_unsafe_var_error 2:8 var x is unsafe"));
}

TEST(Safety, SeesWhatOperandsOfAndBind) {
  CompileOptions options;
  options.experimental_keywords = {"and", "or"};
  EXPECT_THAT(errors_of("import future.keywords.and\np if { { x := 1; x > 0 } and true }", options),
              IsEmpty());
  EXPECT_THAT(errors_of("import future.keywords.and\np if { { x := 1 } and x > 0 }", options),
              ElementsAre("rego_unsafe_var_error 3:8 var x is unsafe"));
}

TEST(Safety, OrdersLongBodiesThatAreWrittenBackwards) {
  std::string body;
  for (auto i = 0; i < 5000; ++i)
    body += "x" + std::to_string(i) + " = x" + std::to_string(i + 1) + "\n";
  EXPECT_THAT(errors_of("p if {\n" + body + "x5000 = 1\n}"), IsEmpty());
}

TEST(Safety, RefusesRulesOfTooManyVariables) {
  std::string body;
  for (auto i = 0; i < 20000; ++i) body += "x" + std::to_string(i) + " = 1\n";
  EXPECT_THAT(errors_of("p if {\n" + body + "}"),
              ElementsAre("rego_compile_error 2:1 rule has 20000 variables and calls, of which "
                          "16384 are allowed"));
}

TEST(With, ReplacesDocumentsAndFunctionsOnly) {
  EXPECT_THAT(errors_of("p if q with foo as 1\nq := 1"),
              ElementsAre("rego_type_error 2:13 with keyword target must reference existing input, "
                          "data, or a function"));
  EXPECT_THAT(
      errors_of("p if { some x in [1]; q with input[x] as 1 }\nq := 1"),
      ElementsAre("rego_compile_error 2:30 with keyword target must be a path of constants"));
  EXPECT_THAT(errors_of("p if q with q.x as 1\nq := {}"),
              ElementsAre("rego_compile_error 2:13 with keyword cannot partially replace virtual "
                          "document(s)"));
  EXPECT_THAT(errors_of("p if q with eq as f\nq := 1\nf(_, _) := 1"),
              ElementsAre("rego_compile_error 2:13 with keyword replacing built-in function: "
                          "replacement of \"eq\" invalid"));
  EXPECT_THAT(errors_of("p if q with count as f\nq := 1\nf(_, _) := 1"),
              ElementsAre("rego_type_error 2:8 count: arity mismatch"));
}

TEST(Templates, DoNotIterate) {
  EXPECT_THAT(errors_of("p := $\"{input.xs[i]}\""),
              ElementsAre("rego_compile_error 2:18 var i is undeclared"));
  EXPECT_THAT(errors_of("p := $\"{x}\""), ElementsAre("rego_unsafe_var_error 2:6 var x is unsafe"));
}

TEST(Print, DoesNotBind) {
  EXPECT_THAT(errors_of("p if { some x; print(x) }"),
              ElementsAre("rego_compile_error 2:22 var x is undeclared"));
}

TEST(Strict, RefusesWhatIsNotUsed) {
  EXPECT_THAT(errors_of("p if { x := 1; input.y }"), IsEmpty());
  EXPECT_THAT(errors_of("p if { x := 1; input.y }", strict()),
              ElementsAre("rego_compile_error 2:8 assigned var x unused"));
  EXPECT_THAT(errors_of("f(x, y) := x", strict()),
              ElementsAre("rego_compile_error 2:1 unused argument y. (hint: use _ (wildcard "
                          "variable) instead)"));
  EXPECT_THAT(errors_of("import data.x\np := 1", strict()),
              ElementsAre("rego_compile_error 2:1 import data.x unused"));
}

TEST(Checking, ReportsEveryErrorOfAKind) {
  EXPECT_THAT(errors_of("p if x > 1\nq if y > 1"),
              UnorderedElementsAre("rego_unsafe_var_error 2:6 var x is unsafe",
                                   "rego_unsafe_var_error 3:6 var y is unsafe"));
}

}  // namespace
}  // namespace sallyport::rego::check
