// What the passes over the syntax make and the planner reads: every name resolved, every body in an
// order in which each variable is bound before it is needed.
//
// After checking:
//  - refs start with `input`, `data` or a local variable; calls name a built-in (a Var term with
//  its
//    full name) or a rule (a ref that starts with `data`);
//  - local variables have names that are unique within their rule ("__local3__"), with the author's
//    names in `Checked::original_names`;
//  - calls, and refs with variables inside, that stood inside other terms are lifted into
//  expressions of
//    their own before them, in OPA's order; only `every`, comprehensions and `not { }` hold bodies;
//  - `:=` and `some x in` have become eq() and iteration; `some x` is gone;
//  - the expressions of a body are in a safe order.
#pragma once

#include "src/rego/ast.hpp"
#include "src/rego/builtin.hpp"
#include "src/rego/rego.hpp"

#include <map>
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

  RuleTree const* find(Value key) const;
};

struct Checked {
  std::vector<ast::Module*> modules;
  RuleTree data;  // the root: `data`
  std::map<std::string_view, std::string_view> original_names;
  // Rules in an order in which each comes after those that it uses.
  std::vector<ast::Rule*> order;
};

// Every error that it finds, not only the first. `base` is the document that data refs may fall
// back to.
Checked check_modules(std::vector<ast::Module*> modules, CompileOptions const& options, Value base,
                      Arena& arena, Diagnostics& errors);

struct CheckedQuery {
  ast::Body body;
  // Variables of the query that an answer names, in order; those that the passes made are left out.
  std::vector<std::string_view> variables;
  std::map<std::string_view, std::string_view> original_names;
};
CheckedQuery check_query(ast::Body query, Checked const& modules, CompileOptions const& options,
                         Arena& arena, Diagnostics& errors);

}  // namespace sallyport::rego
