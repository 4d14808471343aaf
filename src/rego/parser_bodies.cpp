// What follows the head of a rule: its body, `else`, and further bodies.
#include "src/rego/parser_core.hpp"

namespace sallyport::rego {

using ast::Expr;
using ast::ExprKind;
using ast::Rule;
using ast::Term;
using ast::TermKind;

namespace {

// Whether its first term stands before a `|`, as the head of a comprehension does. `{a + 1 | b}` is
// none: its head would be more than a term.
bool leads_with_bar(Expr const& expr) {
  if (expr.negated) return false;
  if (expr.kind == ExprKind::And || expr.kind == ExprKind::Or) {
    return !expr.left_in_braces && leads_with_bar(*expr.left[0]);
  }
  if (expr.kind != ExprKind::Term) return false;
  auto const is_operation = [](Term const& term) {
    return term.kind == TermKind::Call && term.infix && !term.raw && !term.in_brackets;
  };
  auto const* inner = expr.term;
  if (!is_operation(*inner)) return false;
  while (is_operation(*inner->items[1])) inner = inner->items[1];
  return inner->items[0]->name == "or";
}

}  // namespace

ast::Body Parser::body_in_braces() {
  advance();
  auto const body = body_until(TokenKind::RightBrace);
  if (!body.empty()) advance();
  return body;
}

// Whether a body that was read from braces is the begin of an expression, or a comprehension.
bool Parser::braces_are_a_term(ast::Body const& body) const {
  auto const kind = token_.kind;
  auto const is_operator = kind >= TokenKind::Plus && kind <= TokenKind::GreaterEqual;
  auto const is_suffix =
      !token_.space_before && (kind == TokenKind::Dot || kind == TokenKind::LeftBracket);
  auto const is_in = kind == TokenKind::In && !keyword_starts_reference();
  if (is_operator || is_suffix || is_in || at_logic()) return true;
  return leads_with_bar(*body[0]);
}

// What stands behind `if`: one literal, or a body in braces. Braces may also start a literal, but
// not one that is only a set: that would always hold.
ast::Body Parser::body_after_if() {
  auto const one = [&] {
    ast::Body body;
    if (auto* const only = literal()) body.push_back(arena_, only);
    return body;
  };
  if (at(TokenKind::End)) {
    illegal("rule body expected");
    return {};
  }
  if (!at(TokenKind::LeftBrace)) return one();
  auto const before = save();
  auto body = body_in_braces();
  if (!body.empty() && !braces_are_a_term(body)) return body;

  auto const after_body = save();
  Diagnostics const errors_of_body{errors_.begin() + static_cast<std::ptrdiff_t>(before.errors),
                                   errors_.end()};
  restore(before);
  auto const literal_body = one();
  auto const is_set = !literal_body.empty() && literal_body[0]->kind == ExprKind::Term &&
                      literal_body[0]->term->kind == TermKind::Set;
  if ((!literal_body.empty() && !is_set) || !body.empty() || gave_up_) return literal_body;
  restore(before);
  auto const end = after_body;
  restore({end.lexer, end.token, end.last_end, before.comments, before.errors, end.wildcards,
           end.height});
  errors_.insert(errors_.end(), errors_of_body.begin(), errors_of_body.end());
  return {};
}

void Parser::copy_head(Rule const& from, Rule& to) {
  to.kind = from.kind;
  to.is_function = from.is_function;
  to.module = from.module;
  to.reference = copy(from.reference);
  for (auto const* parameter : from.parameters) {
    to.parameters.push_back(arena_, parameter->kind == TermKind::Var && parameter->name[0] == '$'
                                        ? fresh_wildcard(parameter->at)
                                        : copy(parameter));
  }
}

Rule* Parser::else_rule(Rule const& first) {
  auto const start = token_;
  auto* const rule = arena_.make<Rule>();
  copy_head(first, *rule);
  rule->at = location_of(start);
  advance();
  if (at(TokenKind::Assign) || at(TokenKind::Unify)) {
    rule->has_assign = at(TokenKind::Assign);
    rule->value_given = true;
    advance();
    rule->value = infix();
    if (rule->value == nullptr) return nullptr;
  } else if (at(TokenKind::LeftBrace) || at(TokenKind::If)) {
    rule->value = make_true(rule->at);
  } else {
    return illegal("expected else value term or rule body"), nullptr;
  }
  rule->head_end = last_end_;
  rule->has_if = at(TokenKind::If);
  auto const has_body = rule->has_if || at(TokenKind::LeftBrace);
  if (has_body) {
    if (rule->has_if) advance();
    // Behind `else … if`, braces are always a body.
    if (at(TokenKind::LeftBrace)) {
      rule->body = body_in_braces();
    } else {
      rule->body = body_after_if();
    }
    if (rule->body.empty()) return nullptr;
  }
  rule->at = from(start);
  return check_rule(*rule, has_body) ? rule : nullptr;
}

// `p if { … } { … }`: each further body is a rule with the same head.
bool Parser::more_bodies(ast::Module& module, Rule const& first) {
  while (at(TokenKind::LeftBrace)) {
    auto const start = token_;
    auto* const rule = arena_.make<Rule>();
    copy_head(first, *rule);
    rule->has_if = first.has_if;
    rule->has_assign = first.has_assign;
    rule->value_given = first.value_given;
    rule->key = copy(first.key);
    rule->value = copy(first.value);
    rule->body = body_in_braces();
    if (rule->body.empty()) return false;
    rule->at = from(start);
    module.rules.push_back(arena_, rule);
  }
  return true;
}

Term* Parser::copy(Term const* term) {
  if (term == nullptr) return nullptr;
  auto* const result = arena_.make<Term>(*term);
  result->items = {};
  for (auto const* item : term->items) result->items.push_back(arena_, copy(item));
  result->body = {};
  for (auto const* expr : term->body) result->body.push_back(arena_, copy(expr));
  return result;
}

Expr* Parser::copy(Expr const* expr) {
  auto* const result = arena_.make<Expr>(*expr);
  auto const copy_body = [&](ast::Body& body) {
    ast::Body copied;
    for (auto const* inner : body) copied.push_back(arena_, copy(inner));
    body = copied;
  };
  result->term = copy(expr->term);
  result->domain = copy(expr->domain);
  result->symbols = {};
  for (auto const* symbol : expr->symbols) result->symbols.push_back(arena_, copy(symbol));
  copy_body(result->body);
  copy_body(result->left);
  copy_body(result->right);
  result->with = {};
  for (auto const& with : expr->with) {
    result->with.push_back(arena_, {copy(with.target), copy(with.value), with.at});
  }
  return result;
}

}  // namespace sallyport::rego
