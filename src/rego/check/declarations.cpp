// What declares variables: parameters, `:=`, `some`, `every`.
#include "src/rego/check/renamer.hpp"
#include "src/rego/check/walk.hpp"
#include "src/rego/print.hpp"

#include <algorithm>
#include <unordered_set>

namespace sallyport::rego::check {

void Renamer::rename_parameters(Rule& rule) {
  for (auto* const parameter : rule.parameters) rename_parameter(*parameter, rule);
}

void Renamer::rename_parameter(Term& term, Rule const& rule) {
  switch (term.kind) {
    case TermKind::Var: {
      auto* const known = locals_.find(term.name);
      if (known != nullptr) ++known->count;
      term.name = known != nullptr ? known->renamed
                                   : insert(term.name, Occurrence::Argument, term.at).renamed;
      return;
    }
    case TermKind::Object:
      for (std::size_t i = 1; i < term.items.size(); i += 2) rename_parameter(*term.items[i], rule);
      return;
    case TermKind::Array:
      for (auto* const item : term.items) rename_parameter(*item, rule);
      return;
    case TermKind::Call:
      context_.error(Code::Compile, term.at, "rule arguments cannot contain calls");
      return;
    case TermKind::Constant:
    case TermKind::Ref:
    case TermKind::Set:
    case TermKind::ArrayOf:
    case TermKind::SetOf:
    case TermKind::ObjectOf:
    case TermKind::Template: return;
  }
}

std::vector<Expr*> Renamer::lift_patterns(Rule& rule) {
  std::vector<Expr*> patterns;
  std::unordered_set<std::string_view> seen;
  Terms parameters;
  for (auto* const parameter : rule.parameters) {
    auto const plain = is_var(*parameter) && seen.insert(parameter->name).second;
    if (plain) {
      parameters.push_back(context_.arena, parameter);
      continue;
    }
    auto* const var = context_.fresh_name_var(parameter->at);
    parameters.push_back(context_.arena, var);
    patterns.push_back(context_.make_eq(var, parameter, parameter->at));
  }
  rule.parameters = parameters;
  return patterns;
}

void Renamer::prepend(Rule& rule, std::vector<Expr*> const& patterns) {
  Body body;
  for (auto const* const pattern : patterns) {
    auto* const copy = context_.arena.make<Expr>(*pattern);
    copy->term = context_.deep_copy(*pattern->term);
    body.push_back(context_.arena, copy);
  }
  for (auto* const expr : rule.body) body.push_back(context_.arena, expr);
  rule.body = body;
}

bool Renamer::rename_assignment(Expr& expr) {
  if (expr.negated) {
    context_.error(Code::Compile, expr.at, "cannot assign vars inside negated expression");
    return true;
  }
  rename(*expr.term->items[2]);
  rename_with(expr);
  assign_to(*expr.term->items[1]);
  expr.term->items[0] = context_.make_var("eq", expr.term->items[0]->at);
  expr.was_assignment = true;
  return true;
}

void Renamer::assign_to(Term& target) {
  if (is_bare_root(target)) become_var(target, target.items[0]->name);
  switch (target.kind) {
    case TermKind::Var:
      if (auto const* const local = declare(target.name, Occurrence::Assigned, target.at))
        target.name = local->renamed;
      return;
    case TermKind::Array:
      for (auto* const item : target.items) assign_to(*item);
      return;
    case TermKind::Object:
      for (std::size_t i = 1; i < target.items.size(); i += 2) assign_to(*target.items[i]);
      return;
    case TermKind::Constant:
    case TermKind::Ref:
    case TermKind::Call:
    case TermKind::Set:
    case TermKind::ArrayOf:
    case TermKind::SetOf:
    case TermKind::ObjectOf:
    case TermKind::Template:
      context_.error(Code::Compile, target.at,
                     "cannot assign to " + std::string{kind_name(target)});
      return;
  }
}

bool Renamer::rename_some_in(Expr& expr) {
  auto* const value = expr.symbols.back();
  auto* const key = expr.symbols.size() == 2 ? expr.symbols[0] : context_.fresh_name_var(expr.at);
  std::vector<std::string_view> of_domain;
  walk_term(
      *expr.domain,
      [&](Term& term) {
        if (is_var(term)) of_domain.push_back(term.name);
        return true;
      },
      kGoOn);
  // The domain may use a name that the patterns declare: it then means the one outside.
  rename(*expr.domain);
  if (expr.symbols.size() == 2) declare_pattern(*key, of_domain, expr.at);
  declare_pattern(*value, of_domain, expr.at);
  if (expr.symbols.size() == 2) rename(*key);
  rename(*value);
  rename_with(expr);

  auto* const element = context_.make(TermKind::Ref, expr.domain->at);
  if (expr.domain->kind == TermKind::Ref)
    element->items = context_.copy_items(expr.domain->items);
  else
    element->items.push_back(context_.arena, expr.domain);
  element->items.push_back(context_.arena, key);
  expr.kind = ExprKind::Term;
  expr.term = context_.make_call("eq", {value, element}, expr.at);
  expr.domain = nullptr;
  expr.symbols = {};
  return true;
}

void Renamer::declare_pattern(Term const& term, std::vector<std::string_view> const& of_domain,
                              Location const& at) {
  switch (term.kind) {
    case TermKind::Var:
      if (std::ranges::find(of_domain, term.name) != of_domain.end()) return;
      // `some [x, x] in xs` declares it once.
      if (auto const* const local = locals_.find_here(term.name);
          local != nullptr && local->at.offset == at.offset &&
          local->occurrence == Occurrence::Declared)
        return;
      declare(term.name, Occurrence::Declared, at);
      return;
    case TermKind::Array:
      for (auto const* const item : term.items) declare_pattern(*item, of_domain, at);
      return;
    case TermKind::Object:
      for (std::size_t i = 1; i < term.items.size(); i += 2)
        declare_pattern(*term.items[i], of_domain, at);
      return;
    case TermKind::Constant:
    case TermKind::Ref:
    case TermKind::Call:
    case TermKind::Set:
    case TermKind::ArrayOf:
    case TermKind::SetOf:
    case TermKind::ObjectOf:
    case TermKind::Template: return;
  }
}

void Renamer::rename_every(Expr& expr) {
  rename(*expr.domain);
  rename_with(expr);
  auto const begin = locals_.enter();
  if (expr.symbols.size() == 1) {
    Terms both;
    both.push_back(context_.arena, context_.fresh_name_var(expr.at));
    both.push_back(context_.arena, expr.symbols[0]);
    expr.symbols = both;
  }
  for (auto* const symbol : expr.symbols) {
    if (is_wildcard(symbol->name) || symbol->name.starts_with("__local")) continue;
    if (auto const* const local = declare(symbol->name, Occurrence::Declared, expr.at))
      symbol->name = local->renamed;
  }
  rename_body(expr.body, {});
  locals_.leave(begin);
}

Local const* Renamer::declare(std::string_view name, Occurrence occurrence, Location const& at) {
  if (auto const* const local = locals_.find_here(name)) {
    auto const text = std::string{is_wildcard(name) ? "_" : name};
    switch (local->occurrence) {
      case Occurrence::Seen:
        context_.error(Code::Compile, at, "var " + text + " referenced above");
        break;
      case Occurrence::Assigned:
        context_.error(Code::Compile, at, "var " + text + " assigned above");
        break;
      case Occurrence::Declared:
        context_.error(Code::Compile, at, "var " + text + " declared above");
        break;
      case Occurrence::Argument:
        context_.error(Code::Compile, at, "arg " + text + " redeclared");
        break;
    }
    return nullptr;
  }
  return &insert(name, occurrence, at);
}

Local& Renamer::insert(std::string_view name, Occurrence occurrence, Location const& at) {
  auto const renamed = context_.fresh_name();
  context_.original_names.emplace(renamed, name);
  return locals_.insert(name, {renamed, occurrence, 1, at});
}

void Renamer::report_unused(std::size_t begin, Used used) {
  if (context_.errors.size() > errors_before_) return;
  for (auto i = begin; i < locals_.size(); ++i) {
    auto const& local = locals_[i];
    if (local.count > 1 || is_wildcard(local.name)) continue;
    auto const declared = local.occurrence == Occurrence::Declared;
    auto const assigned = local.occurrence == Occurrence::Assigned && context_.strict;
    if ((!declared && !assigned) || occurs_in(local.name, used)) continue;
    context_.error(
        Code::Compile, local.at,
        (declared ? "declared var " : "assigned var ") + std::string{local.name} + " unused");
  }
}

bool Renamer::occurs_in(std::string_view name, Used terms) {
  auto found = false;
  for (auto* const term : terms)
    walk_term(
        *term,
        [&](Term& inner) {
          found = found || (is_var(inner) && inner.name == name);
          return !found;
        },
        kGoOn);
  return found;
}

void Renamer::report_unused_arguments(Rule const& rule) {
  for (std::size_t i = 0; i < locals_.size(); ++i) {
    auto const& local = locals_[i];
    if (local.occurrence == Occurrence::Argument && local.count <= 1 && !is_wildcard(local.name))
      context_.error(Code::Compile, rule.at,
                     "unused argument " + std::string{local.name} +
                         ". (hint: use _ (wildcard variable) instead)");
  }
}

}  // namespace sallyport::rego::check
