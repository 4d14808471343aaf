// Declared variables get names of their own, so that a name means one variable wherever it stands.
// `:=`, `some` and `some … in` have then said all they had to say and become eq().
#include "src/rego/check/passes.hpp"
#include "src/rego/check/renamer.hpp"
#include "src/rego/check/walk.hpp"

#include <algorithm>

namespace sallyport::rego::check {

bool is_bare_root(Term const& term) {
  return term.kind == TermKind::Ref && term.items.size() == 1 && is_var(*term.items[0]) &&
         is_root_name(term.items[0]->name);
}

void become_var(Term& term, std::string_view name) {
  term.kind = TermKind::Var;
  term.name = name;
  term.items = {};
}

void Renamer::rename_chain(Rule& first) {
  errors_before_ = context_.errors.size();
  for (auto* const parameter : first.parameters) rename_closures(*parameter);
  for (auto* rule = &first; rule != nullptr; rule = rule->otherwise) rename_head_closures(*rule);
  rename_parameters(first);
  auto const arguments = locals_.size();
  auto const patterns = lift_patterns(first);
  for (auto* rule = &first; rule != nullptr; rule = rule->otherwise) {
    rule->parameters = first.parameters;
    rename_rule(*rule);
    if (!patterns.empty()) prepend(*rule, patterns);
    locals_.drop_from(arguments);
  }
  if (context_.strict) report_unused_arguments(first);
  locals_.drop_from(0);
}

void Renamer::rename_query(Body& query) {
  errors_before_ = context_.errors.size();
  rename_body(query, {});
}

void Renamer::rename_head_closures(Rule& rule) {
  for_each_head_term(rule, [&](Term& term) { rename_closures(term); });
}

void Renamer::rename_closures(Term& term) {
  walk_term(
      term,
      [&](Term& inner) {
        if (!is_comprehension(inner) && inner.kind != TermKind::Template) return true;
        auto const begin = locals_.enter();
        rename(inner);
        locals_.leave(begin);
        return false;
      },
      kGoOn);
}

void Renamer::rename_rule(Rule& rule) {
  std::vector<Term*> head;
  for_each_head_term(rule, [&](Term& term) { head.push_back(&term); });
  rename_body(rule.body, head);
  for (auto* const term : head) rename_to_declared(*term);
}

void Renamer::rename_to_declared(Term& term) {
  if (is_var(term)) {
    if (auto* const local = locals_.find(term.name)) {
      ++local->count;
      term.name = local->renamed;
    }
    return;
  }
  if (is_bare_root(term)) {
    auto* const local = locals_.find(term.items[0]->name);
    if (local != nullptr && local->occurrence != Occurrence::Seen) become_var(term, local->renamed);
    return;
  }
  for (std::size_t i = term.kind == TermKind::Call ? 1 : 0; i < term.items.size(); ++i)
    rename_to_declared(*term.items[i]);
  for (auto* const expr : term.body) rename_to_declared(*expr);
}

void Renamer::rename_to_declared(Expr& expr) {
  if (expr.term != nullptr) rename_to_declared(*expr.term);
  for (auto* const symbol : expr.symbols) rename_to_declared(*symbol);
  if (expr.domain != nullptr) rename_to_declared(*expr.domain);
  for (auto* const body : {&expr.body, &expr.left, &expr.right})
    for (auto* const inner : *body) rename_to_declared(*inner);
  for (auto& with : expr.with)
    if (!with.value_is_function) rename_to_declared(*with.value);
}

void Renamer::rename_body(Body& body, Used used) {
  auto const begin = scope_begin();
  Body result;
  for (auto* const expr : body)
    if (rename(*expr)) result.push_back(context_.arena, expr);
  body = result;
  report_unused(begin, used);
}

std::size_t Renamer::scope_begin() {
  auto begin = locals_.size();
  while (begin > 0 && locals_[begin - 1].depth == locals_.depth()) --begin;
  return begin;
}

void Renamer::rename_body_in_scope(Body& body) {
  auto const begin = locals_.enter();
  rename_body(body, {});
  locals_.leave(begin);
}

bool Renamer::rename(Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Term:
      if (is_assignment(expr)) return rename_assignment(expr);
      rename(*expr.term);
      break;
    case ExprKind::Some:
      for (auto const* const symbol : expr.symbols)
        declare(symbol->name, Occurrence::Declared, expr.at);
      return false;
    case ExprKind::SomeIn: return rename_some_in(expr);
    case ExprKind::Every: rename_every(expr); return true;
    case ExprKind::Body: rename_operand(expr.body, expr.in_braces); break;
    case ExprKind::And:
    case ExprKind::Or:
      rename_operand(expr.left, expr.left_in_braces);
      rename_operand(expr.right, expr.right_in_braces);
      break;
  }
  rename_with(expr);
  return true;
}

void Renamer::rename_operand(Body& body, bool in_braces) {
  if (in_braces) {
    rename_body_in_scope(body);
    return;
  }
  Body result;
  for (auto* const expr : body) {
    if (is_assignment(*expr))
      context_.error(Code::Compile, expr->at, "cannot assign vars inside negated expression");
    else if (rename(*expr))
      result.push_back(context_.arena, expr);
  }
  body = result;
}

void Renamer::rename_with(Expr& expr) {
  for (auto& with : expr.with) {
    if (with.target->kind == TermKind::Ref)
      for (std::size_t i = 1; i < with.target->items.size(); ++i) rename(*with.target->items[i]);
    if (!with.value_is_function) rename(*with.value);
  }
}

void Renamer::rename(Term& term) {
  switch (term.kind) {
    case TermKind::Constant: return;
    case TermKind::Var: rename_var(term); return;
    case TermKind::Ref:
      if (is_bare_root(term)) {
        auto const* const local = locals_.find(term.items[0]->name);
        if (local != nullptr && local->occurrence != Occurrence::Seen)
          become_var(term, local->renamed);
        return;
      }
      break;
    case TermKind::Call: refuse_shadowed_function(term); break;
    case TermKind::Array:
    case TermKind::Set:
    case TermKind::Object:
    case TermKind::Template: break;
    case TermKind::ArrayOf:
    case TermKind::SetOf:
    case TermKind::ObjectOf: {
      auto const begin = locals_.enter();
      rename_body(term.body, {term.items.begin(), term.items.size()});
      for (auto* const item : term.items) rename(*item);
      locals_.leave(begin);
      return;
    }
  }
  for (std::size_t i = term.kind == TermKind::Call ? 1 : 0; i < term.items.size(); ++i)
    rename(*term.items[i]);
}

void Renamer::rename_var(Term& var) {
  if (auto* const local = locals_.find(var.name)) {
    ++local->count;
    var.name = local->renamed;
  } else if (!is_root_name(var.name)) {
    locals_.insert(var.name, {var.name, Occurrence::Seen, 1, var.at});
  }
}

void Renamer::refuse_shadowed_function(Term const& call) {
  if (call.infix) return;
  auto const& function = *call.items[0];
  auto const& head = function.kind == TermKind::Ref ? *function.items[0] : function;
  if (!is_var(head)) return;
  auto const* const local = locals_.find(head.name.substr(0, head.name.find('.')));
  if (local != nullptr && local->renamed != local->name)
    context_.error(Code::Compile, call.at,
                   "called function " + to_text(context_, function) + " shadowed");
}

void rename_locals(Context& context, Modules const& modules) {
  Renamer renamer{context};
  for (auto* const module : modules)
    for (auto* const rule : module->rules) renamer.rename_chain(*rule);
}

void rename_locals(Context& context, Body& query) {
  Renamer{context}.rename_query(query);
}

}  // namespace sallyport::rego::check
