// What the passes share: where nodes and names are made, and where errors go.
#pragma once

#include "src/rego/ast.hpp"
#include "src/rego/builtin.hpp"
#include "src/rego/checked.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace sallyport::rego::check {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Rule;
using ast::RuleKind;
using ast::Term;
using ast::TermKind;
using ast::Terms;
using ast::With;

using Names = std::map<std::string_view, std::string_view>;

struct Context {
  CompileOptions const& options;
  Arena& arena;
  Diagnostics& errors;
  RuleTree const& tree;
  Names& original_names;
  // Of the rules, where a query is checked against them.
  Names const* names_of_rules{nullptr};
  // What a ref started from before it was lifted: messages show it instead of the variable.
  std::unordered_map<std::string_view, Term const*> subjects;
  // "__local7__" and the like that authors wrote themselves.
  std::unordered_set<std::string_view> taken_names;
  std::uint32_t next_local{0};
  // Number of the next variable of the rule at hand.
  std::uint32_t next_number{0};
  bool in_query{false};
  bool strict{false};

  // What some pass saw, so that others need not look for it.
  bool has_templates{false};
  bool has_prints{false};
  bool has_metadata_calls{false};
  // Some closure uses what its own expression binds: bodies want ordering again once that
  // expression is taken apart.
  bool wants_second_ordering{false};

  void error(Code code, Location const& at, std::string message, std::string hint = {});

  // A name that nothing else has.
  std::string_view fresh_name();
  // A variable with a fresh name, for passes that run before variables are numbered.
  Term* fresh_name_var(Location const& at);
  // A variable with a fresh name and number.
  Term* fresh_var(Location const& at);
  // As the author wrote it.
  std::string_view original(std::string_view name) const;

  Term* make(TermKind kind, Location const& at);
  Term* make_var(std::string_view name, Location const& at);
  Term* make_text(std::string_view text, Location const& at);
  Term* make_call(std::string_view builtin, std::initializer_list<Term*> operands,
                  Location const& at);
  Expr* make_expr(Term* term, Location const& at);
  // left = right, marked as generated.
  Expr* make_eq(Term* left, Term* right, Location const& at);
  Terms copy_items(Terms const& items);
  Term* deep_copy(Term const& term);
  Body deep_copy(Body const& body);
};

// `_` is "$0", "$1", …
inline bool is_wildcard(std::string_view name) {
  return !name.empty() && name.front() == '$';
}
// Made by a pass, or a wildcard: not a name to show.
bool is_generated(std::string_view name);
inline bool is_root_name(std::string_view name) {
  return name == "input" || name == "data";
}
inline bool is_var(Term const& term) {
  return term.kind == TermKind::Var;
}
inline bool is_scalar(Term const& term) {
  return term.kind == TermKind::Constant;
}
inline bool is_comprehension(Term const& term) {
  return term.kind == TermKind::ArrayOf || term.kind == TermKind::SetOf ||
         term.kind == TermKind::ObjectOf;
}
// A local variable that has its number.
inline bool is_numbered(Term const& term) {
  return term.kind == TermKind::Var && term.value.is_defined();
}
inline std::uint32_t number_of(Term const& var) {
  return static_cast<std::uint32_t>(var.value.as_int64());
}
// A ref that starts with `data` (or, exactly, with the name given).
bool starts_with(Term const& term, std::string_view root);

// The name of the built-in that this expression calls; empty where it calls none.
std::string_view builtin_called(Expr const& expr);
// A call of it with two operands.
bool is_eq(Expr const& expr);
bool is_assignment(Expr const& expr);

// No variables, refs, calls or comprehensions in it.
bool is_ground(Term const& term);
// Has refs or comprehensions in it, so that it stands in a body only.
bool needs_evaluation(Term const& term);

// The node of the rule tree that a ref of constants names; null where there is none.
RuleTree const* find_node(RuleTree const& data, Term const& ref);
// How many parameters a function has; -1: there is none of that name.
int arity_of(Context const& context, Term const& function);
// How many the built-in has, from its signature.
int arity_of(Builtin const& builtin);

// The terms as their author would write them, for messages.
std::string to_text(Context const& context, Term const& term);
// "data.a.b.p"
std::string path_of(Context const& context, Rule const& rule);

}  // namespace sallyport::rego::check
