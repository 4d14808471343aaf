#include "src/rego/parser.hpp"

#include "src/rego/print.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace sallyport::rego {
namespace {

using ast::ExprKind;
using ast::RuleKind;
using ast::TermKind;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Parser : public ::testing::Test {
 protected:
  ast::Module* module(std::string const& rules) {
    errors_.clear();
    text_ = "package a\n" + rules;
    return parse_module(text_, 0, options_, arena_, errors_);
  }
  // The only rule, or null.
  ast::Rule* rule(std::string const& text) {
    auto* const parsed = module(text);
    EXPECT_THAT(errors_, IsEmpty()) << all_errors();
    return parsed != nullptr && parsed->rules.size() == 1 ? parsed->rules[0] : nullptr;
  }
  std::string error_of(std::string const& rules) {
    EXPECT_EQ(module(rules), nullptr) << rules;
    return errors_.empty() ? "" : to_text(errors_[0]);
  }
  // What a query means, written out.
  std::string query(std::string_view text) {
    errors_.clear();
    auto const body = parse_query(text, options_, arena_, errors_);
    return errors_.empty() ? to_text(body) : all_errors();
  }
  // With every operator as a call.
  std::string calls(std::string_view text) {
    errors_.clear();
    auto body = parse_query(text, options_, arena_, errors_);
    if (!errors_.empty()) return all_errors();
    for (auto* expr : body) without_operators(*expr->term);
    return to_text(body);
  }
  std::string all_errors() const {
    std::string text;
    for (auto const& error : errors_) text += to_text(error, text_) + '\n';
    return text;
  }

  CompileOptions options_;
  Arena arena_;
  Diagnostics errors_;
  std::string text_;

 private:
  static void without_operators(ast::Term& term) {
    term.infix = term.raw = term.in_brackets = false;
    for (auto* item : term.items) without_operators(*item);
  }
};

TEST_F(Parser, BindsOperatorsAsTightlyAsOpaDoes) {
  EXPECT_EQ(calls("1 + 2 * 3 - 4"), "minus(plus(1, mul(2, 3)), 4)");
  EXPECT_EQ(calls("a | b & c == d"), "equal(or(a, and(b, c)), d)");
  EXPECT_EQ(calls("x := a == b"), "assign(x, equal(a, b))");
  EXPECT_EQ(calls("a + 1 in b"), "internal.member_2(plus(a, 1), b)");
  EXPECT_EQ(calls("a, b in c in d"), "internal.member_2(internal.member_3(a, b, c), d)");
  EXPECT_EQ(calls("(1 + 2) * 3"), "mul(plus(1, 2), 3)");
  EXPECT_EQ(calls("1-2"), "minus(1, 2)");
}

TEST_F(Parser, ReadsMinusAsPartOfANumberAndBeforeAReference) {
  EXPECT_EQ(calls("[-1, - 2, -.5]"), "[-1, -2, -0.5]");
  EXPECT_EQ(calls("x := -input.a[0]"), "assign(x, minus(0, input.a[0]))");
  EXPECT_THAT(query("-(1)"), HasSubstr("expected number"));
}

TEST_F(Parser, ReadsABarBehindTheFirstTermAsAComprehension) {
  auto const kind_of = [&](std::string_view text) {
    return parse_query(text, options_, arena_, errors_)[0]->term->kind;
  };
  EXPECT_EQ(kind_of("[x | x := 1]"), TermKind::ArrayOf);
  EXPECT_EQ(kind_of("{a | b}"), TermKind::SetOf);
  EXPECT_EQ(kind_of("{k: v | some k, v in xs}"), TermKind::ObjectOf);
  EXPECT_EQ(kind_of("[a | b, c]"), TermKind::Array);
  EXPECT_EQ(kind_of("{a + 1 | b}"), TermKind::Set);
  EXPECT_EQ(kind_of("{a: b | c, d: e}"), TermKind::Object);
  EXPECT_EQ(kind_of("{}"), TermKind::Object);
  EXPECT_EQ(kind_of("set()"), TermKind::Set);
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(Parser, ContinuesATermOnlyWithoutASpace) {
  EXPECT_EQ(query("input.a[\"b c\"][x].if"), "input.a[\"b c\"][x].if");
  EXPECT_THAT(query("[1][0]"), "[1][0]");
  EXPECT_THAT(query("f(x).y(z)"), HasSubstr("only a name can be called"));
  EXPECT_THAT(error_of("x := input .a"), HasSubstr("rego_parse_error"));
  EXPECT_THAT(query("\"abc\"[0]"), HasSubstr("illegal ref (head cannot be string)"));
}

TEST_F(Parser, AcceptsTrailingCommas) {
  EXPECT_EQ(query("f([1, 2,], {3,}, {\"a\": 4,},)"), "f([1, 2], {3}, {\"a\": 4})");
}

TEST_F(Parser, GivesEveryWildcardItsOwnName) {
  auto const body = parse_query("[_, _] = x", options_, arena_, errors_);
  auto const& items = body[0]->term->items[1]->items;
  EXPECT_EQ(items[0]->name, "$0");
  EXPECT_EQ(items[1]->name, "$1");
}

TEST_F(Parser, ReadsStringsWithTheEscapesOfJson) {
  auto const value = [&](std::string_view text) {
    return std::string{parse_ground_term(text, arena_, errors_).as_string()};
  };
  EXPECT_EQ(value(R"("a\n\u00e9\ud83d\ude00\/")"), "a\né😀/");
  EXPECT_EQ(value(R"("\ud83d")"), "\uFFFD");
  EXPECT_EQ(value("`a\\n\n`"), "a\\n\n");
  EXPECT_THAT(errors_, IsEmpty());
  EXPECT_THAT(query(R"("\x")"), HasSubstr("illegal escape sequence"));
  EXPECT_THAT(query("\"a"), HasSubstr("non-terminated string"));
}

TEST_F(Parser, ReadsTemplates) {
  EXPECT_EQ(query(R"($"a {x + 1} \{ {"s"}")"), R"($"a {x + 1} \{ {"s"}")");
  EXPECT_EQ(query("$`{x}\\n`"), "$`{x}\\n`");
  EXPECT_EQ(query(R"($"{$"{a}"}")"), R"($"{$"{a}"}")");
  EXPECT_EQ(query(R"($"{a with input as 1}")"), R"($"{a with input as 1}")");
  EXPECT_THAT(query(R"($"{not x}")"), HasSubstr("unexpected negation"));
  EXPECT_THAT(query(R"($"{x := 1}")"), HasSubstr("unexpected assignment"));
  EXPECT_THAT(query(R"($"{x")"), HasSubstr("rego_parse_error"));
}

TEST_F(Parser, ReadsSomeEveryNotAndWith) {
  EXPECT_EQ(query("some x, y"), "some x, y");
  EXPECT_EQ(query("some k, [v] in xs with input as 1"), "some k, [v] in xs with input as 1");
  EXPECT_EQ(query("every k, v in xs { k; v }"), "every k, v in xs { k; v }");
  EXPECT_EQ(query("not f(x) with data.a as b with f as g"),
            "not f(x) with data.a as b with f as g");
  EXPECT_THAT(query("not some x"), HasSubstr("illegal negation of 'some'"));
  EXPECT_THAT(query("every [x] in xs { x }"), HasSubstr("expected value to be a variable"));
}

TEST_F(Parser, ReadsHeadsOfEveryForm) {
  auto* found = rule("p := 1");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->has_assign && found->value_given && found->body.empty());

  found = rule("p.q[x].r contains y if some x, y in input");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->kind, RuleKind::Contains);
  EXPECT_EQ(to_text(*found->reference), "p.q[x].r");
  EXPECT_EQ(to_text(*found->key), "y");

  found = rule("p[x] := y if { x := 1; y := 2 }");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->kind, RuleKind::Value);
  EXPECT_EQ(to_text(*found->reference), "p[x]");
  EXPECT_THAT(found->body, SizeIs(2));

  found = rule("a.f(x, [y]) = z if { z := x + y }");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->is_function);
  EXPECT_THAT(found->parameters, SizeIs(2));

  found = rule("default f(_) := {\"a\": [1]}");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->is_default && found->is_function);
}

TEST_F(Parser, ReadsWhatFollowsIfAsABodyOrALiteral) {
  EXPECT_EQ(to_text(rule("p if { x; y }")->body), "x; y");
  EXPECT_EQ(to_text(rule("p if {x}")->body), "x");
  EXPECT_EQ(to_text(rule("p if {x} == y")->body), "{x} == y");
  EXPECT_EQ(to_text(rule("p if {x | y}")->body), "{x | y}");
  EXPECT_EQ(rule("p if {x | x := y}")->body[0]->term->kind, TermKind::SetOf);
  EXPECT_EQ(rule("p if {x | y == z}")->body[0]->term->kind, TermKind::SetOf);
  EXPECT_EQ(to_text(rule("p if {x + 1 | y}")->body), "x + 1 | y");
  EXPECT_EQ(to_text(rule("p if {\"a\": 1}.a == 1")->body), "{\"a\": 1}.a == 1");
  EXPECT_EQ(to_text(rule("p if {}")->body), "{}");
}

TEST_F(Parser, ReadsElseAndFurtherBodies) {
  auto const* const first = rule("f(_) := 1 if { a } else := 2 if b else := 3");
  ASSERT_NE(first, nullptr);
  ASSERT_NE(first->otherwise, nullptr);
  auto const* const last = first->otherwise->otherwise;
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(to_text(*last->value), "3");
  EXPECT_THAT(last->body, IsEmpty());
  EXPECT_NE(first->parameters[0]->name, last->parameters[0]->name) << "each wildcard is its own";

  auto const* const parsed = module("p contains x if { x := 1 } { x := 2 }");
  ASSERT_NE(parsed, nullptr) << all_errors();
  ASSERT_THAT(parsed->rules, SizeIs(2));
  EXPECT_EQ(to_text(parsed->rules[1]->body), "x := 2");
  EXPECT_NE(parsed->rules[0]->key, parsed->rules[1]->key) << "passes change nodes in place";
}

TEST_F(Parser, AsksForIfAndContainsInV1Only) {
  EXPECT_THAT(error_of("p { true }"), HasSubstr("`if` keyword is required before rule body"));
  EXPECT_THAT(error_of("f(x) { true }"), HasSubstr("required before function body"));
  EXPECT_THAT(error_of("p[x] { x := 1 }"), HasSubstr("`contains` keyword is required"));
  options_.syntax = Syntax::V0;
  auto const* const set = rule("p[x] { x := 1 }");
  ASSERT_NE(set, nullptr);
  EXPECT_EQ(set->kind, RuleKind::Contains);
  EXPECT_EQ(rule("p[x] = y { x := 1; y := 2 }")->kind, RuleKind::Value);
  EXPECT_EQ(to_text(rule("if = contains { every := in }")->body), "every := in");
  EXPECT_FALSE(module("p { true }")->v1);
}

TEST_F(Parser, MakesAV0ModuleV1WhereItImportsThat) {
  options_.syntax = Syntax::V0;
  EXPECT_THAT(error_of("import rego.v1\np { true }"), HasSubstr("`if` keyword is required"));
  EXPECT_TRUE(module("import rego.v1\np if true")->v1);
  EXPECT_NE(module("import future.keywords.every\np { every x in y { x } }"), nullptr);
  EXPECT_NE(module("import future.keywords\np contains x if some x in [1]"), nullptr);
  EXPECT_THAT(error_of("import future.keywords.nope"), HasSubstr("unexpected keyword"));
}

TEST_F(Parser, ReadsNotAsABodyWhereThatIsImported) {
  auto const* body = &rule("import future.keywords.not\np if not { x; y } with input as 1")->body;
  EXPECT_EQ((*body)[0]->kind, ExprKind::Body);
  EXPECT_TRUE((*body)[0]->in_braces);
  EXPECT_THAT((*body)[0]->with, SizeIs(1));
  body = &rule("import future.keywords.not\np if not x == 1")->body;
  EXPECT_EQ((*body)[0]->kind, ExprKind::Body);
  EXPECT_FALSE((*body)[0]->in_braces);
  body = &rule("p if not {x}")->body;
  EXPECT_EQ((*body)[0]->kind, ExprKind::Term);
}

TEST_F(Parser, ReadsAndAndOrOnlyWhereTheyAreAllowedAndImported) {
  std::string const imports = "import future.keywords.and\nimport future.keywords.or\n";
  EXPECT_THAT(error_of(imports + "p if a or b"), HasSubstr("unexpected keyword"));
  options_.experimental_keywords = {"and", "or"};
  auto const body_of = [&](std::string const& text) {
    auto const* const found = rule(imports + "p if { " + text + " }");
    return found == nullptr ? "" : to_text(found->body);
  };
  EXPECT_EQ(body_of("a and b or c and d"), "(a and b) or (c and d)");
  EXPECT_EQ(body_of("a and (b or not c)"), "a and (b or not c)");
  EXPECT_EQ(body_of("{ x; y } or z == 1 with input as 2"), "{ x; y } or z == 1 with input as 2");
  EXPECT_EQ(body_of("(a) == b"), "a == b");
  EXPECT_EQ(body_of("x := and({1}, {2})"), "x := and({1}, {2})");
  EXPECT_THAT(error_of(imports + "p if { a with input as 1 or b }"), HasSubstr("`with` modifier"));
}

TEST_F(Parser, ReadsKeywordsAsPartsOfReferences) {
  auto const* const parsed = module("if.in := 1\nwith.x if not.a\ndefault else.b := 2\n");
  ASSERT_NE(parsed, nullptr) << all_errors();
  EXPECT_EQ(to_text(*parsed->rules[0]->reference), "if.in");
  EXPECT_EQ(to_text(parsed->rules[1]->body), "not.a");
}

TEST_F(Parser, KeepsCommentsAndImports) {
  auto const* const parsed = module("import data.x.y as z # why\n# about p\np := 1");
  ASSERT_NE(parsed, nullptr);
  EXPECT_EQ(parsed->imports[0].alias, "z");
  ASSERT_THAT(parsed->comments, SizeIs(2));
  EXPECT_EQ(parsed->comments[0].text, " why");
  EXPECT_EQ(parsed->comments[1].at.row, 3U);
}

TEST_F(Parser, AttachesMetadataToWhatFollows) {
  auto const* const parsed = module(
      "# METADATA\n# title: T\n# authors:\n# - Jane Doe <j@example.com>\n# custom:\n#  a: 1\np := "
      "1");
  ASSERT_NE(parsed, nullptr) << all_errors();
  ASSERT_THAT(parsed->annotations, SizeIs(1));
  auto const& found = parsed->annotations[0];
  EXPECT_EQ(found.scope, "rule");
  EXPECT_EQ(found.rule, parsed->rules[0]);
  EXPECT_EQ(get(found.content, "title").as_string(), "T");
  EXPECT_EQ(get(get(found.content, "authors").items()[0], "email").as_string(), "j@example.com");
  EXPECT_EQ(get(get(found.content, "custom"), "a").as_int64(), 1);
  EXPECT_THAT(error_of("# METADATA\n# scope: nonsense\np := 1"), HasSubstr("invalid annotation"));
  EXPECT_THAT(error_of("# METADATA\n# a: [\np := 1"), HasSubstr("yaml: line"));
}

TEST_F(Parser, ReportsEachBrokenRuleOnceAndWhere) {
  EXPECT_EQ(module("p if {\n\tx ==\n}\n\nq := 1\n\nr := [1,\n\ns := }\n"), nullptr);
  ASSERT_THAT(errors_, SizeIs(2)) << all_errors();
  EXPECT_EQ(errors_[0].at.row, 4U);
  EXPECT_EQ(errors_[1].at.row, 10U);
}

TEST_F(Parser, ShowsTheLineWithACaret) {
  (void)module("p := 1\nq := \t* 2");
  EXPECT_EQ(all_errors(), "3:7: rego_parse_error: unexpected mul token\nq := \t* 2\n     \t^\n");
}

TEST_F(Parser, RefusesWhatIsNoText) {
  EXPECT_THAT(error_of("p := \"\xff\""), HasSubstr("2:7: rego_parse_error: illegal utf-8"));
  EXPECT_THAT(error_of(std::string{"p := 1\0", 7}), HasSubstr("illegal null character"));
  EXPECT_THAT(error_of("# \xEF\xBB\xBF"), HasSubstr("byte-order mark"));
  EXPECT_THAT(error_of("é := 1"), HasSubstr("illegal token"));
}

TEST_F(Parser, BoundsHowDeepATermNests) {
  auto const nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_NE(module("p := " + nested(80)), nullptr) << all_errors();
  EXPECT_THAT(error_of("p := " + nested(100'000)), HasSubstr("levels deep"));
  std::string sum = "1";
  for (int i = 0; i < 100'000; ++i) sum += "+1";
  EXPECT_THAT(error_of("p := " + sum), HasSubstr("an expression of more than"));
  std::string calls = "f";
  for (int i = 0; i < 100'000; ++i) calls += "(1).a[f(2)]";
  EXPECT_THAT(error_of("p := " + calls), HasSubstr("rego_parse_error"));
  std::string elses = "p if a";
  for (int i = 0; i < 100'000; ++i) elses += " else if a";
  EXPECT_THAT(error_of(elses), HasSubstr("too many else"));
}

TEST_F(Parser, DoesNotReadAmbiguousTextAgainAndAgain) {
  std::string text = "1";
  for (int i = 0; i < 80; ++i) text = "[a | " + text + ", 1]";
  EXPECT_THAT(error_of("p := " + text), HasSubstr("too ambiguous"));
}

TEST_F(Parser, RefusesWhatIsTooLong) {
  std::string const long_text(kLongestSource + 1, ' ');
  EXPECT_EQ(parse_module(long_text, 0, {}, arena_, errors_), nullptr);
  EXPECT_THAT(errors_, SizeIs(1));
}

TEST_F(Parser, ReadsGroundTermsOnly) {
  auto const value = parse_ground_term(R"({"a": {1, 2, 2}, "b": [null, -1.5]})", arena_, errors_);
  EXPECT_THAT(errors_, IsEmpty());
  EXPECT_EQ(get(value, "a").size(), 2U);
  EXPECT_FALSE(parse_ground_term("[x]", arena_, errors_).is_defined());
  EXPECT_FALSE(parse_ground_term("1; 2", arena_, errors_).is_defined());
  EXPECT_THAT(errors_, SizeIs(2));
}

TEST_F(Parser, RefusesNumbersThatJsonRefuses) {
  EXPECT_THAT(query("01"), HasSubstr("leading zero"));
  EXPECT_THAT(query("1."), HasSubstr("expected fraction"));
  EXPECT_THAT(query("1e"), HasSubstr("expected exponent"));
  EXPECT_THAT(query("1a"), HasSubstr("illegal number format"));
  EXPECT_THAT(query("1e999999999"), HasSubstr("number too big"));
}

// Heads with parameters were measured together: the 129th function was refused.
TEST(ParserLimits, ManyFunctionsAreNotOneDeepTree) {
  std::string text = "package a\n";
  for (int i = 0; i < 1000; ++i) text += "f" + std::to_string(i) + "(x) := x\n";
  Arena arena;
  Diagnostics errors;

  parse_module(text, 0, {}, arena, errors);

  EXPECT_TRUE(errors.empty()) << errors.front().message;
}

TEST(ParserLimits, ManyAlternativesOneAfterTheOtherAreNotOneDeepTree) {
  std::string text = "package a\nimport future.keywords.or\np if {\n";
  for (int i = 0; i < 1000; ++i) text += "  input.x or input.y\n";
  Arena arena;
  Diagnostics errors;

  parse_module(text + "}", 0, {.experimental_keywords = {"or"}}, arena, errors);

  EXPECT_TRUE(errors.empty()) << errors.front().message;
}

TEST(ParserLimits, RefusesAReferenceOfTooManyParts) {
  std::string path = "package a";
  for (int i = 0; i < 2000; ++i) path += ".b";
  Arena arena;
  Diagnostics errors;

  parse_module(path + "\np := 1", 0, {}, arena, errors);

  ASSERT_FALSE(errors.empty());
  EXPECT_EQ(errors.front().message, "a reference of more than 1024 parts");
}

}  // namespace
}  // namespace sallyport::rego
