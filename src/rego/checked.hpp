// What the passes over the syntax make and the planner reads: every name resolved, every body in an
// order in which each variable is bound before it is needed.
//
// After checking:
//
// Names
//  - A Var term is a local variable, or the head `input` or `data` of a ref, or (as items[0] of a
//    call, or in a `with`) the full name of a built-in. Only local variables have a number: `value`
//    is an integer from 0 up to Rule::variables (CheckedQuery::variable_count). One number, one
//    variable: scopes are resolved, no two variables of a rule share a number or a name. Names are
//    "__local3__"; the author's are in `original_names`. Wildcards are variables like others.
//  - A bare `input` or `data` is a Ref with one item.
//  - A call's items[0] is a Var (a built-in, by its full name) or a Ref of constants that starts
//    with `data` (a function). It has as many operands as the function has parameters, or one more,
//    which is then unified with the result.
//
// Rules
//  - Rule::parameters are variables, all different. Patterns became eq() at the start of the body,
//    also in each `otherwise`, which has the same parameters.
//  - Rule::reference starts with the rule's name within its package; its other parts are scalar
//    constants and variables. Rules of one RuleTree node share the parts before the first variable.
//  - key, value and the parts of the reference hold no refs, calls or comprehensions: constants,
//    variables, and arrays, objects and sets of these. An empty body is true.
//
// Bodies
//  - Kinds of expressions: Term, Every, Body (negated only), And, Or. `negated` stands only on Term
//    and Body. Some, SomeIn and assign() are gone (`some x in xs` is eq(x, xs[__local0__])), and so
//    are equal() of two operands in rules (eq()), templates (internal.template_string([…]), with
//    what is not text as a set of one or no element) and print (internal.print([{…}, …])).
//  - An expression of kind Term is a constant, variable, collection, ref, comprehension or call.
//    Operands of calls are constants, variables and collections of these; of eq() also a ref or
//    comprehension at the top. Everything else was lifted into an eq(variable, …) or call before
//    it, in OPA's order and with the same `with`; out of a negated Term, but not out of a Body.
//  - A ref's items[0] is `input`, `data` or a variable; its other items constants, variables and
//    collections of these.
//  - Every::domain is a variable; symbols are two variables, key and value.
//  - The body of a comprehension computes its items[0] (and [1]), which are like a rule's value.
//  - A with's target is a ref of constants that starts with `input` or `data`, or a Var that names
//    a built-in. Its value is like a rule's value, unless value_is_function: then a Var that names
//    a built-in, or a data ref.
//  - Expressions are in an order in which each variable is bound before it is needed.
#pragma once

#include "src/rego/ast.hpp"
#include "src/rego/builtin.hpp"
#include "src/rego/rego.hpp"

#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace sallyport::rego {

// The tree of everything that modules define under `data`. A node has rules, or children, or (with
// ref heads) both.
struct RuleTree {
  // By the constant parts of their references; a rule with a variable part hangs at the node before
  // it.
  struct ByValue {
    bool operator()(Value left, Value right) const noexcept { return compare(left, right) < 0; }
  };
  std::map<Value, RuleTree, ByValue> children;
  std::vector<ast::Rule*> rules;  // in the order of the sources, defaults included
  bool is_package{false};         // some module has this package

  RuleTree const* find(Value key) const;
};

// The parts of a rule's reference from its first variable on: empty for most rules.
std::span<ast::Term* const> dynamic_part(ast::Rule const& rule);

struct RuleTypes;  // of the type checker

struct Checked {
  std::vector<ast::Module*> modules;
  RuleTree data;  // the root: `data`
  std::map<std::string_view, std::string_view> original_names;
  // Rules in an order in which each comes after those that it uses.
  std::vector<ast::Rule*> order;
  std::shared_ptr<RuleTypes const> types;
};

// Every error that it finds, not only the first. `base` is the document that data refs may fall
// back to.
Checked check_modules(std::vector<ast::Module*> modules, CompileOptions const& options, Value base,
                      Arena& arena, Diagnostics& errors);

struct CheckedQuery {
  ast::Body body;
  // Variables of the query that an answer names, in order; those that the passes made are left out.
  // They keep their names, also those declared with `:=`.
  struct Variable {
    std::string_view name;
    std::uint32_t number{0};
  };
  std::vector<Variable> variables;
  // For each expression of the author, in order (`some x` has none): which variable holds the value
  // that an answer lists for it. kTrue: it lists `true`.
  static constexpr std::uint32_t kTrue = ~std::uint32_t{0};
  std::vector<std::uint32_t> expressions;
  std::uint32_t variable_count{0};
  std::map<std::string_view, std::string_view> original_names;
};
CheckedQuery check_query(ast::Body query, Checked const& modules, CompileOptions const& options,
                         Arena& arena, Diagnostics& errors);

}  // namespace sallyport::rego
