#include "src/rego/check/bindings.hpp"

#include "src/rego/check/walk.hpp"

#include <vector>

namespace sallyport::rego::check {
namespace {

constexpr Skip kOutput{.closures = true, .ref_heads = true, .object_keys = true, .sets = true};

// The variables in brackets of refs whose head is bound.
void add_ref_outputs(Term const& term, VarSet const& safe, VarSet& out) {
  if (is_comprehension(term) || term.kind == TermKind::Template) return;
  if (term.kind == TermKind::Ref) {
    if (!is_ref_safe(term, safe)) return;
    add_vars(term, {.closures = true, .ref_heads = true}, out);
  }
  for (std::size_t i = term.kind == TermKind::Call ? 1 : 0; i < term.items.size(); ++i)
    add_ref_outputs(*term.items[i], safe, out);
}

void add_ref_outputs(Expr const& expr, VarSet const& safe, VarSet& out) {
  add_ref_outputs(*expr.term, safe, out);
  for (auto const& with : expr.with)
    if (!with.value_is_function) add_ref_outputs(*with.value, safe, out);
}

void add_with_vars(Expr const& expr, VarSet& out) {
  for (auto const& with : expr.with) {
    if (with.target->kind == TermKind::Ref)
      for (std::size_t i = 1; i < with.target->items.size(); ++i)
        add_vars(*with.target->items[i], kSkipClosures, out);
    if (!with.value_is_function) add_vars(*with.value, kSkipClosures, out);
  }
}

VarSet outputs_of_eq(Expr const& expr, VarSet const& safe) {
  auto const& left = *expr.term->items[1];
  auto const& right = *expr.term->items[2];
  VarSet output;
  add_ref_outputs(expr, safe, output);
  output.add(safe);
  if (expr.was_assignment) {
    // The left of := is written only: it binds nothing on the right.
    VarSet written;
    add_vars(left, kSkipNothing, written);
    output.remove(written);
  }
  output.add(unified_by(left, right, output));
  output.remove(safe);
  return output;
}

VarSet outputs_of_call(Context const& context, Expr const& expr, VarSet const& safe) {
  auto const& items = expr.term->items;
  auto const arity = arity_of(context, *items[0]);
  if (arity < 0) return {};
  VarSet output;
  add_ref_outputs(expr, safe, output);
  auto const inputs = static_cast<std::size_t>(arity) + 1;
  if (inputs >= items.size()) return output;
  VarSet needed;
  for (std::size_t i = 1; i < inputs; ++i) add_vars(*items[i], kOutput, needed);
  needed.remove(output);
  if (!needed.is_within(safe)) return {};
  for (auto i = inputs; i < items.size(); ++i) add_vars(*items[i], kOutput, output);
  return output;
}

// What eq() and calls of an operand bind, whatever is bound outside.
void add_operand_bindings(Context const& context, Expr const& expr, VarSet& out) {
  if (expr.kind != ExprKind::Term || expr.term->kind != TermKind::Call) return;
  if (is_eq(expr)) {
    out.add(outputs_of_eq(expr, {}));
    return;
  }
  auto const& items = expr.term->items;
  auto const arity = arity_of(context, *items[0]);
  if (arity < 0) return;
  for (auto i = static_cast<std::size_t>(arity) + 1; i < items.size(); ++i)
    add_vars(*items[i], kOutput, out);
}

// An operand without braces must get its variables from outside, but for those that one of its
// expressions (a lifted call) binds for another.
void add_operand_vars(Context const& context, Body const& operand, VarSet& out) {
  VarSet once;
  VarSet twice;
  VarSet bound;
  for (auto const* const expr : operand) {
    VarSet vars;
    add_vars(*expr, kSkipClosures, vars);
    auto again = vars;
    again.keep(once);
    twice.add(again);
    once.add(vars);
    if (operand.size() > 1) add_operand_bindings(context, *expr, bound);
  }
  bound.keep(twice);
  once.remove(bound);
  out.add(once);
}

}  // namespace

void add_vars(Term const& term, Skip skip, VarSet& out) {
  switch (term.kind) {
    case TermKind::Constant: return;
    case TermKind::Var:
      if (is_numbered(term)) out.add(number_of(term));
      return;
    case TermKind::Ref:
      for (std::size_t i = skip.ref_heads ? 1 : 0; i < term.items.size(); ++i)
        add_vars(*term.items[i], skip, out);
      return;
    case TermKind::Call:
      for (std::size_t i = 1; i < term.items.size(); ++i) add_vars(*term.items[i], skip, out);
      return;
    case TermKind::Set:
      if (skip.sets) return;
      [[fallthrough]];
    case TermKind::Array:
      for (auto const* const item : term.items) add_vars(*item, skip, out);
      return;
    case TermKind::Object:
      for (std::size_t i = skip.object_keys ? 1 : 0; i < term.items.size();
           i += skip.object_keys ? 2 : 1)
        add_vars(*term.items[i], skip, out);
      return;
    case TermKind::ArrayOf:
    case TermKind::SetOf:
    case TermKind::ObjectOf:
    case TermKind::Template:
      if (skip.closures) return;
      for (auto const* const item : term.items) add_vars(*item, skip, out);
      add_vars(term.body, skip, out);
      return;
  }
}

void add_vars(Expr const& expr, Skip skip, VarSet& out) {
  if (expr.kind == ExprKind::Term) add_vars(*expr.term, skip, out);
  if (expr.kind == ExprKind::Every) add_vars(*expr.domain, skip, out);
  if (!skip.closures && expr.kind != ExprKind::Term) {
    for (auto const* const symbol : expr.symbols) add_vars(*symbol, skip, out);
    add_vars(expr.body, skip, out);
    add_vars(expr.left, skip, out);
    add_vars(expr.right, skip, out);
  }
  add_with_vars(expr, out);
}

void add_vars(Body const& body, Skip skip, VarSet& out) {
  for (auto const* const expr : body) add_vars(*expr, skip, out);
}

void add_visible_vars(Context const& context, Expr const& expr, VarSet& out) {
  add_vars(expr, kSkipClosures, out);
  if (expr.kind == ExprKind::Body && !expr.in_braces) add_operand_vars(context, expr.body, out);
  if (expr.kind != ExprKind::And && expr.kind != ExprKind::Or) return;
  if (!expr.left_in_braces) add_operand_vars(context, expr.left, out);
  if (!expr.right_in_braces) add_operand_vars(context, expr.right, out);
}

namespace {

void add_closure_vars(Term const& term, VarSet& out) {
  if (is_comprehension(term) || term.kind == TermKind::Template) {
    add_vars(term, kSkipNothing, out);
    return;
  }
  for (auto const* const item : term.items) add_closure_vars(*item, out);
}

}  // namespace

void add_closure_vars(Expr const& expr, VarSet& out) {
  if (expr.kind == ExprKind::Term) add_closure_vars(*expr.term, out);
  if (expr.domain != nullptr) add_closure_vars(*expr.domain, out);
  add_vars(expr.body, kSkipNothing, out);
  add_vars(expr.left, kSkipNothing, out);
  add_vars(expr.right, kSkipNothing, out);
  for (auto const& with : expr.with)
    if (!with.value_is_function) add_closure_vars(*with.value, out);
}

VarSet outputs_of(Context const& context, Expr const& expr, VarSet const& safe) {
  if (expr.negated) return {};
  if (!expr.with.empty()) {
    VarSet needed;
    add_with_vars(expr, needed);
    if (!needed.is_within(safe)) return {};
  }
  VarSet output;
  switch (expr.kind) {
    case ExprKind::Term:
      if (is_eq(expr)) return outputs_of_eq(expr, safe);
      if (expr.term->kind == TermKind::Call) return outputs_of_call(context, expr, safe);
      add_ref_outputs(expr, safe, output);
      break;
    case ExprKind::Every: add_ref_outputs(*expr.domain, safe, output); break;
    case ExprKind::Some:
    case ExprKind::SomeIn:
    case ExprKind::Body:
    case ExprKind::And:
    case ExprKind::Or: break;
  }
  return output;
}

VarSet outputs_of(Context const& context, Body const& body, VarSet const& safe) {
  auto bound = safe;
  for (auto const* const expr : body) bound.add(outputs_of(context, *expr, bound));
  bound.remove(safe);
  return bound;
}

void refuse_undeclared(Context& context, Term& term, VarSet const& known, Unnamed unnamed) {
  VarSet vars;
  add_vars(term, kSkipClosures, vars);
  vars.remove(known);
  if (vars.empty()) return;
  auto const check = [&](Term& part) {
    bool const unknown = is_numbered(part) && vars.contains(number_of(part));
    bool const passes =
        unnamed == Unnamed::Allowed && unknown && is_generated(context.original(part.name));
    if (unknown && !passes) {
      context.error(Code::Compile, part.at, "var " + to_text(context, part) + " is undeclared");
    }
    return !is_comprehension(part);
  };
  walk_term(term, check, kGoOn);
}

}  // namespace sallyport::rego::check
