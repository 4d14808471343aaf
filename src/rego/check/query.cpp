#include "src/rego/check/query.hpp"

#include "src/rego/check/walk.hpp"
#include "src/rego/type.hpp"

#include <algorithm>

namespace sallyport::rego::check {
namespace {

bool iterates(Body& query) {
  auto found = false;
  walk_body(
      query,
      [&](Term& term) {
        if (is_comprehension(term)) return false;
        if (term.kind == TermKind::Ref)
          for (std::size_t i = 1; i < term.items.size(); ++i) found |= is_var(*term.items[i]);
        if (term.kind == TermKind::Call && is_var(*term.items[0])) {
          auto const* const builtin = find_builtin(term.items[0]->name);
          found |= builtin != nullptr && (builtin->flags & Builtin::kRelation) != 0;
        }
        return true;
      },
      kGoOn);
  return found;
}

bool is_void(Term const& function) {
  if (!is_var(function)) return false;
  auto const* const signature = find_signature(function.name);
  return signature != nullptr && signature->result == nullptr;
}

Term* capture(Context& context, Expr& expr) {
  if (expr.negated || expr.kind != ExprKind::Term || is_assignment(expr) || is_eq(expr))
    return nullptr;
  auto& term = *expr.term;
  if (term.kind != TermKind::Call) {
    auto* const var = context.fresh_name_var(expr.at);
    expr.term = context.make_call("eq", {&term, var}, expr.at);
    return var;
  }
  auto const arity = arity_of(context, *term.items[0]);
  if (arity != static_cast<int>(term.items.size()) - 1 || is_void(*term.items[0])) return nullptr;
  auto* const var = context.fresh_name_var(expr.at);
  term.items.push_back(context.arena, var);
  return var;
}

}  // namespace

std::vector<Term const*> capture_values(Context& context, Body& query) {
  auto const must_hold = query.size() > 1 || iterates(query);
  std::vector<Term const*> captured;
  Body result;
  Body conditions;
  for (auto* const expr : query) {
    result.push_back(context.arena, expr);
    if (expr->kind == ExprKind::Some) continue;
    auto const* const var = capture(context, *expr);
    captured.push_back(var);
    if (var != nullptr && must_hold)
      conditions.push_back(context.arena,
                           context.make_expr(context.make_var(var->name, expr->at), expr->at));
  }
  for (auto* const condition : conditions) result.push_back(context.arena, condition);
  query = result;
  return captured;
}

}  // namespace sallyport::rego::check
