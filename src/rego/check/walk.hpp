// Walking terms and bodies. A visitor returns whether to go on below what it was given.
#pragma once

#include "src/rego/check/context.hpp"

namespace sallyport::rego::check {

template <class OnTerm, class OnExpr>
void walk_body(Body& body, OnTerm&& on_term, OnExpr&& on_expr);

// Every term in it, itself first, and the bodies inside it.
template <class OnTerm, class OnExpr>
void walk_term(Term& term, OnTerm&& on_term, OnExpr&& on_expr) {
  if (!on_term(term)) return;
  for (auto* const item : term.items) walk_term(*item, on_term, on_expr);
  walk_body(term.body, on_term, on_expr);
}

template <class OnTerm, class OnExpr>
void walk_expr(Expr& expr, OnTerm&& on_term, OnExpr&& on_expr) {
  if (!on_expr(expr)) return;
  if (expr.term != nullptr) walk_term(*expr.term, on_term, on_expr);
  for (auto* const symbol : expr.symbols) walk_term(*symbol, on_term, on_expr);
  if (expr.domain != nullptr) walk_term(*expr.domain, on_term, on_expr);
  walk_body(expr.body, on_term, on_expr);
  walk_body(expr.left, on_term, on_expr);
  walk_body(expr.right, on_term, on_expr);
  for (auto& with : expr.with) {
    walk_term(*with.target, on_term, on_expr);
    walk_term(*with.value, on_term, on_expr);
  }
}

template <class OnTerm, class OnExpr>
void walk_body(Body& body, OnTerm&& on_term, OnExpr&& on_expr) {
  for (auto* const expr : body) walk_expr(*expr, on_term, on_expr);
}

inline constexpr auto kGoOn = [](auto&) { return true; };

// Head and body, without the `else` that follows.
template <class OnTerm, class OnExpr>
void walk_rule(Rule& rule, OnTerm&& on_term, OnExpr&& on_expr) {
  for (std::size_t i = 1; i < rule.reference->items.size(); ++i)
    walk_term(*rule.reference->items[i], on_term, on_expr);
  for (auto* const parameter : rule.parameters) walk_term(*parameter, on_term, on_expr);
  if (rule.key != nullptr) walk_term(*rule.key, on_term, on_expr);
  if (rule.value != nullptr) walk_term(*rule.value, on_term, on_expr);
  walk_body(rule.body, on_term, on_expr);
}

// Each rule and each of its `else`.
template <class Visit>
void for_each_rule(ast::Module& module, Visit&& visit) {
  for (auto* const first : module.rules)
    for (auto* rule = first; rule != nullptr; rule = rule->otherwise) visit(*rule);
}

// The same, for passes that make variables: they go on counting where the rule's variables end.
template <class Visit>
void for_each_rule_with_variables(Context& context, std::vector<ast::Module*> const& modules,
                                  Visit&& visit) {
  for (auto* const module : modules) {
    for (auto* const first : module->rules) {
      context.next_number = first->variables;
      for (auto* rule = first; rule != nullptr; rule = rule->otherwise) visit(*rule);
      first->variables = context.next_number;
    }
  }
}

}  // namespace sallyport::rego::check
