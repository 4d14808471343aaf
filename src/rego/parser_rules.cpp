// Rules of every form.
#include "src/rego/parser_core.hpp"
#include "src/rego/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sallyport::rego {

using ast::Expr;
using ast::ExprKind;
using ast::Rule;
using ast::RuleKind;
using ast::Term;
using ast::TermKind;

namespace {

constexpr int kMostElse = 1000;

// Whether every value is known without evaluating.
bool is_ground(Term const& term) {
  switch (term.kind) {
    case TermKind::Constant: return true;
    case TermKind::Array:
    case TermKind::Set:
    case TermKind::Object:
      return std::ranges::all_of(term.items, [](Term const* item) { return is_ground(*item); });
    case TermKind::Var:
    case TermKind::Ref:
    case TermKind::Call:
    case TermKind::ArrayOf:
    case TermKind::SetOf:
    case TermKind::ObjectOf:
    case TermKind::Template: return false;
  }
  return false;
}

bool has_variables(Term const& reference) {
  return std::any_of(reference.items.begin() + 1, reference.items.end(),
                     [](Term const* part) { return !is_ground(*part); });
}

std::string_view kind_of(Rule const& rule) {
  return rule.is_function ? "function" : "rule";
}

bool is_reserved(std::string_view name) {
  auto const kind = keyword_of(name);
  return kind >= TokenKind::Package && kind <= TokenKind::If;
}

}  // namespace

// The name with its path and parameters, then the value or the key.
bool Parser::head(Rule& rule) {
  auto const start = token_;
  auto* const name = var_of_token();
  auto const name_end = token_.end();
  advance();
  auto* found = name;
  // Heads, unlike terms, may have a space before their first bracket.
  auto const space = token_.space_before;
  token_.space_before = false;
  if (at(TokenKind::Dot) || at(TokenKind::LeftBracket) || at(TokenKind::LeftParen)) {
    found = reference(name, start);
    if (found == nullptr) return false;
  } else {
    token_.space_before = space;
  }
  last_end_ = std::max(last_end_, name_end);
  auto* path = found;
  if (found->kind == TermKind::Call) {
    path = found->items[0];
    rule.parameters = std::span{found->items.begin() + 1, found->items.end()};
    rule.is_function = !rule.parameters.empty();
  }
  if (found->kind == TermKind::Set || (path->kind == TermKind::Ref && path->items[0] != name)) {
    illegal("expected rule head name");
    return false;
  }
  if (path->kind == TermKind::Ref) {
    rule.reference = path;
  } else {
    rule.reference = make_term(TermKind::Ref, path->at);
    rule.reference->items.push_back(arena_, path);
  }
  return head_value(rule);
}

bool Parser::head_value(Rule& rule) {
  auto const name = [&] { return to_text(*rule.reference); };
  if (at(TokenKind::Contains)) {
    if (rule.is_function) {
      illegal(
          fmt::format("the contains keyword can only be used with multi-value rule definitions "
                      "(e.g., {} contains <VALUE> {{ ... }})",
                      name()));
      return false;
    }
    advance();
    rule.kind = RuleKind::Contains;
    rule.key = infix();
    return rule.key != nullptr;
  }
  if (!at(TokenKind::Unify) && !at(TokenKind::Assign)) return true;
  rule.has_assign = at(TokenKind::Assign);
  advance();
  if (at(TokenKind::End)) {
    illegal(fmt::format("expected rule value term (e.g., {} := <VALUE> {{ ... }})", name()));
    return false;
  }
  rule.value = infix();
  rule.value_given = rule.value != nullptr;
  return rule.value_given;
}

bool Parser::rule_statement(ast::Module& module) {
  auto const before = save();
  auto* const rule = arena_.make<Rule>();
  rule->module = &module;
  rule->at = location_of(token_);
  auto const start = token_;
  if (keyword_starts_reference()) token_.kind = TokenKind::Name;
  if (at(TokenKind::Default)) {
    rule->is_default = true;
    advance();
    if (keyword_starts_reference()) token_.kind = TokenKind::Name;
    if (!at(TokenKind::Name)) {
      illegal("expected rule name");
      return false;
    }
  }
  if (!at(TokenKind::Name)) return expression_statement(module);
  if (!head(*rule)) return false;
  rule->head_end = last_end_;
  if (rule->is_default) return default_rule(module, rule);

  rule->has_if = at(TokenKind::If);
  auto const has_body = rule->has_if || at(TokenKind::LeftBrace);
  if (!has_body && rule->kind == RuleKind::Value) {
    if (rule->value_given) return rule_without_body(module, rule);
    restore(before);
    return expression_statement(module);
  }
  if (!rule->has_if && !brackets_to_key(*rule)) return false;
  if (has_body) {
    if (rule->has_if) advance();
    rule->body = rule->has_if ? body_after_if() : body_in_braces();
    if (rule->body.empty()) return false;
  }
  if (rule->value == nullptr && rule->kind == RuleKind::Value) rule->value = make_true(rule->at);
  rule->at = from(start);
  if (!check_rule(*rule, has_body)) return false;
  module.rules.push_back(arena_, rule);
  if (!has_body) return true;

  if (at(TokenKind::Else) && !keyword_starts_reference()) {
    if (has_variables(*rule->reference)) {
      error(location_of(token_), "else keyword cannot be used on rules with variables in head");
      return false;
    }
    if (rule->kind == RuleKind::Contains) {
      error(location_of(token_), "else keyword cannot be used on multi-value rules");
      return false;
    }
    auto* last = rule;
    for (int count = 0; at(TokenKind::Else) && !keyword_starts_reference(); ++count) {
      // An `else` without a body always holds: nothing can come behind it.
      if (last->body.empty()) break;
      if (count == kMostElse) return give_up("too many else"), false;
      last->otherwise = else_rule(*rule);
      if (last->otherwise == nullptr) return false;
      last = last->otherwise;
    }
    if (at(TokenKind::LeftBrace)) {
      error(location_of(token_), "expected else keyword");
      return false;
    }
    return true;
  }
  return more_bodies(module, *rule);
}

// p[x] without `if` was a set: what is now `p contains x`.
bool Parser::brackets_to_key(Rule& rule) {
  if (rule.kind != RuleKind::Value || rule.is_function || rule.value_given ||
      rule.reference->items.size() != 2) {
    return true;
  }
  rule.kind = RuleKind::Contains;
  rule.key = rule.reference->items[1];
  rule.reference->items.resize_down(1);
  if (!v1_) return true;
  error(rule.at, "`contains` keyword is required for partial set rules");
  return false;
}

// What only v1 asks for.
bool Parser::check_rule(Rule const& rule, bool body_given) {
  if (!v1_) return true;
  auto const* const first = rule.reference->items[0];
  if (rule.reference->items.size() == 1 && is_reserved(first->name)) {
    error(rule.at, fmt::format("{} keyword cannot be used for rule name", first->name));
    return false;
  }
  if (body_given && !rule.has_if) {
    error(rule.at, fmt::format("`if` keyword is required before {} body", kind_of(rule)));
    return false;
  }
  return true;
}

bool Parser::rule_without_body(ast::Module& module, Rule* rule) {
  if (at(TokenKind::With)) {
    error(rule->at, "expressions using with keyword cannot be used for rule head");
    return false;
  }
  if (at(TokenKind::Semicolon)) {
    error(rule->at, "multiple expressions cannot be used for rule head");
    return false;
  }
  rule->at.length = last_end_ - rule->at.offset;
  if (!check_rule(*rule, false)) return false;
  module.rules.push_back(arena_, rule);
  return true;
}

// What is not written as a rule may still define one: `p[x]`, `f(x)` alone. Mostly it is a mistake.
bool Parser::expression_statement(ast::Module& module) {
  auto const start = token_;
  auto* const expr = literal();
  if (expr == nullptr) return false;
  auto const refuse = [&](std::string message) {
    return error(expr->at, std::move(message)), false;
  };
  if (at(TokenKind::Semicolon)) return refuse("multiple expressions cannot be used for rule head");
  if (!expr->with.empty()) {
    return refuse("expressions using with keyword cannot be used for rule head");
  }
  if (expr->negated) return refuse("negated expressions cannot be used for rule head");
  if (expr->kind == ExprKind::Some || expr->kind == ExprKind::SomeIn) {
    return refuse("'some' declarations cannot be used for rule head");
  }
  if (expr->kind != ExprKind::Term) return refuse("expression cannot be used for rule head");
  auto* const term = expr->term;
  if (term->kind == TermKind::Call && term->infix) {
    auto const function = term->items[0]->name;
    if (function != "eq" && function != "assign") {
      return refuse("rule name conflicts with built-in function");
    }
    // A head with this value was tried before.
    auto const* const left = term->items[1];
    if (left->kind == TermKind::Var && is_reserved(left->name)) {
      return refuse(fmt::format("{} keyword cannot be used for rule name", left->name));
    }
    return refuse(fmt::format("{} cannot be used for rule name", kind_name(*left)));
  }
  auto const is_call = term->kind == TermKind::Call;
  auto* const path = is_call ? term->items[0] : term;
  if (is_call && term->items.size() == 1) {
    return refuse("rule argument list must take at least one argument");
  }
  if (!is_call && (path->kind != TermKind::Ref || path->items[0]->kind != TermKind::Var)) {
    return refuse(fmt::format("{} cannot be used for rule name", kind_name(*term)));
  }
  auto* const rule = arena_.make<Rule>();
  rule->module = &module;
  rule->at = from(start);
  rule->head_end = last_end_;
  rule->reference = path;
  if (path->kind == TermKind::Var) {
    rule->reference = make_term(TermKind::Ref, path->at);
    rule->reference->items.push_back(arena_, path);
  }
  if (is_call) {
    rule->parameters = std::span{term->items.begin() + 1, term->items.end()};
    rule->is_function = true;
  } else if (v1_ && path->items.size() > 2) {
    return refuse("rule must have value assignment and/or body declaration");
  }
  if (!brackets_to_key(*rule)) return false;
  if (rule->kind == RuleKind::Value) rule->value = make_true(rule->at);
  if (!check_rule(*rule, false)) return false;
  module.rules.push_back(arena_, rule);
  return true;
}

bool Parser::default_rule(ast::Module& module, Rule* rule) {
  rule->at.length = last_end_ - rule->at.offset;
  if (rule->kind == RuleKind::Contains ||
      (!rule->value_given && rule->reference->items.size() == 2 && !rule->is_function)) {
    error(rule->at, "illegal default rule (must have a value)");
    return false;
  }
  if (rule->value_given && !value_of_default(*rule, rule->value)) return false;
  if (!parameters_of_default(*rule)) return false;
  if (!rule->value_given) rule->value = make_true(rule->at);
  if (!check_rule(*rule, false)) return false;
  module.rules.push_back(arena_, rule);
  return true;
}

bool Parser::value_of_default(Rule const& rule, Term const* term) {
  auto const kind = term->kind;
  if (kind == TermKind::Var || kind == TermKind::Ref || kind == TermKind::Call) {
    error(rule.at, fmt::format("illegal default rule (value cannot contain {})", kind_name(*term)));
    return false;
  }
  // Comprehensions bring their own variables.
  if (kind == TermKind::ArrayOf || kind == TermKind::SetOf || kind == TermKind::ObjectOf) {
    return true;
  }
  return std::ranges::all_of(term->items,
                             [&](Term const* item) { return value_of_default(rule, item); });
}

bool Parser::parameters_of_default(Rule const& rule) {
  std::set<std::string_view> seen;
  for (auto const* parameter : rule.parameters) {
    if (parameter->kind != TermKind::Var) {
      error(rule.at, fmt::format("illegal default rule (arguments cannot contain {})",
                                 kind_name(*parameter)));
      return false;
    }
    if (!seen.insert(parameter->name).second) {
      error(rule.at,
            fmt::format("illegal default rule (arguments cannot be repeated {})", parameter->name));
      return false;
    }
  }
  return true;
}

}  // namespace sallyport::rego
