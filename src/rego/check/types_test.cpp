#include "src/rego/check/check_testing.hpp"
#include "src/rego/type.hpp"

#include <gmock/gmock.h>

namespace sallyport::rego::check {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> errors_of(std::string_view rules) {
  return CheckTest{{"package a\n" + std::string{rules}}}.messages();
}

TEST(Types, OfOperandsMustFit) {
  EXPECT_THAT(errors_of("p if startswith(1, \"a\")"),
              ElementsAre("rego_type_error 2:6 startswith: invalid argument(s)"));
  EXPECT_THAT(errors_of("p := 1 + \"a\""),
              ElementsAre("rego_type_error 2:6 plus: invalid argument(s)"));
  EXPECT_THAT(errors_of("p if { x := [1]; upper(x) == \"A\" }"),
              ElementsAre("rego_type_error 2:18 upper: invalid argument(s)"));
  EXPECT_THAT(errors_of("p if startswith(input.x, \"a\")"), IsEmpty());
}

TEST(Types, OfBothSidesOfAnEquationMustFit) {
  EXPECT_THAT(errors_of("p if 1 == \"a\""), ElementsAre("rego_type_error 2:6 match error"));
  EXPECT_THAT(errors_of("p if { x := {\"a\": 1}; x == [1] }"),
              ElementsAre("rego_type_error 2:23 match error"));
  EXPECT_THAT(errors_of("p if q == 1\nq := \"a\" if input.x\nq := 1 if input.y"), IsEmpty());
}

TEST(Types, KnowWhatRulesAre) {
  EXPECT_THAT(errors_of("p if q.b\nq := {\"a\": 1}"),
              ElementsAre("rego_type_error 2:6 undefined ref: data.a.q.b"));
  EXPECT_THAT(errors_of("p if q.a.b\nq := {\"a\": 1}"),
              ElementsAre("rego_type_error 2:6 undefined ref: data.a.q.a.b"));
  EXPECT_THAT(errors_of("p if q[1]\nq contains \"a\""),
              ElementsAre("rego_type_error 2:6 undefined ref: data.a.q[1]"));
  EXPECT_THAT(errors_of("p if upper(q) == \"A\"\nq := 1"),
              ElementsAre("rego_type_error 2:6 upper: invalid argument(s)"));
  EXPECT_THAT(errors_of("p if q.b\nq[x] := 1 if some x in [\"a\", \"b\"]"), IsEmpty());
}

TEST(Types, KnowWhatFunctionsTakeAndGive) {
  EXPECT_THAT(errors_of("p if f(1)\nf(x) if startswith(x, \"a\")"),
              ElementsAre("rego_type_error 2:6 data.a.f: invalid argument(s)"));
  EXPECT_THAT(errors_of("p if f(1)\nf(x) if startswith(x, \"a\")\nf(x) if x > 1"), IsEmpty());
  EXPECT_THAT(errors_of("p if upper(f(1)) == \"A\"\nf(x) := x + 1"),
              ElementsAre("rego_type_error 2:6 upper: invalid argument(s)"));
}

TEST(Types, AreNoneForWhatIsNotCalled) {
  EXPECT_THAT(errors_of("p if f == 1\nf(x) := x"),
              ElementsAre("rego_type_error 2:6 function data.a.f used as reference, not called"));
  EXPECT_THAT(errors_of("p if { some x in f; x }\nf(x) := x"),
              ElementsAre("rego_type_error 2:18 function data.a.f used as reference, not called"));
}

TEST(Types, ReachIntoComprehensions) {
  EXPECT_THAT(errors_of("p := [x | x := upper(1)]"),
              ElementsAre("rego_type_error 2:16 upper: invalid argument(s)"));
  EXPECT_THAT(errors_of("p if upper([x | x := 1]) == \"A\""),
              ElementsAre("rego_type_error 2:6 upper: invalid argument(s)"));
}

TEST(Types, OfOperandsAreThoseBeforeTheCall) {
  EXPECT_THAT(errors_of("p if { x := 1; object.subset({\"a\": x}, x) }"),
              ElementsAre("rego_type_error 2:16 object.subset: invalid argument(s)"));
}

TEST(Types, OfVariablesThatAComprehensionUsesDoNotLeaveIt) {
  EXPECT_THAT(errors_of("p := f(1)\nf(x) if { y := [z | z := upper(x)]; count(y) == 0 }"),
              IsEmpty());
  EXPECT_THAT(errors_of("p := f(1)\nf(x) if { y := upper(x); count(y) == 0 }"),
              ElementsAre("rego_type_error 2:6 data.a.f: invalid argument(s)"));
}

// As in OPA: what stands in for a document has to be of its type.
TEST(Types, AreThoseOfTheRuleAlsoWhereItIsReplaced) {
  EXPECT_THAT(errors_of("p if { upper(q) == \"A\" with data.a.q as \"a\" }\nq := 1"),
              ElementsAre("rego_type_error 2:8 upper: invalid argument(s)"));
  EXPECT_THAT(errors_of("p if { x := q with input as 1; upper(x) == \"A\" }\nq := 1"),
              ElementsAre("rego_type_error 2:32 upper: invalid argument(s)"));
  EXPECT_THAT(errors_of("p := [x | x := upper(q) with input as 1]\nq := 1"),
              ElementsAre("rego_type_error 2:16 upper: invalid argument(s)"));
  EXPECT_THAT(errors_of("p if { upper(q) == \"A\" with data.a.q as \"a\" }\nq := input.x"),
              IsEmpty());
}

TEST(Types, OfARefusedRuleDoNotSpread) {
  EXPECT_THAT(errors_of("p := q + 1\nq := upper(1)"),
              ElementsAre("rego_type_error 3:6 upper: invalid argument(s)"));
}

TEST(Types, AreCheckedInQueries) {
  CheckTest test{{"package a\nq := {\"a\": 1}"}};
  test.query("{\"a\": 1}[\"b\"]");
  EXPECT_THAT(test.messages(), ElementsAre("rego_type_error 1:1 undefined ref: {\"a\": 1}.b"));
}

TEST(Signatures, AreReadFromTheirText) {
  Arena arena;
  Signature signature;
  ASSERT_TRUE(
      parse_signature("string, any<array[string], set[string]> -> string", signature, arena));
  ASSERT_EQ(signature.parameters.size(), 2U);
  EXPECT_EQ(to_text(signature.parameters[1]), "any<array[string], set[string]>");
  EXPECT_EQ(to_text(signature.result), "string");
  ASSERT_TRUE(parse_signature("x: object<a: number>[string: any] -> array<boolean, any>", signature,
                              arena));
  EXPECT_EQ(to_text(signature.parameters[0]), "object<a: number>[string: any]");
  EXPECT_EQ(to_text(signature.result), "array<boolean, any>");
  EXPECT_FALSE(parse_signature("strange, thing -> here", signature, arena));
  EXPECT_EQ(signature.parameters.size(), 2U);
}

TEST(Signatures, OfAllBuiltinsAreUnderstood) {
  Arena arena;
  for (auto const* const builtin : all_builtins()) {
    Signature signature;
    EXPECT_TRUE(parse_signature(builtin->signature, signature, arena))
        << builtin->name << ": " << builtin->signature;
  }
}

TEST(Types, OfManyKindsBecomeAnything) {
  Arena arena;
  Type const* type = nullptr;
  for (auto i = 0; i < 100; ++i) {
    std::vector<Type const*> items(static_cast<std::size_t>(i), &types::kNumber);
    type = types::either(arena, type, types::array(arena, items, nullptr));
  }
  EXPECT_TRUE(types::is_anything(type));
}

}  // namespace
}  // namespace sallyport::rego::check
