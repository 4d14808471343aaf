// `and` and `or` between expressions, groups in parentheses, and `not { … }`.
//
// In the place of an operand, braces hold a body: a set or an object needs parentheses there.
#include "src/rego/parser_core.hpp"

#include <fmt/format.h>

namespace sallyport::rego {

using ast::Expr;
using ast::ExprKind;
using ast::TermKind;

// `{ a | b }` reads as a comprehension as well as a body with a union.
bool Parser::is_ambiguous_union(ast::Body const& body) const {
  auto const* const first = body[0];
  return first->kind == ExprKind::Term && !first->negated && first->term->kind == TermKind::Call &&
         first->term->infix && !first->term->in_brackets && first->term->items[0]->name == "or";
}

Expr* Parser::not_body(Token const& start) {
  auto operand = braces_operand();
  if (operand.body.empty()) return nullptr;
  auto* const expr = make_expr(ExprKind::Body);
  expr->negated = expr->in_braces = true;
  expr->body = operand.body;
  expr->at = from(start);
  return expr;
}

Parser::Operand Parser::braces_operand() {
  Operand result{.in_braces = true, .start = token_};
  auto const body = body_in_braces();
  if (body.empty()) return result;
  if (is_ambiguous_union(body)) {
    error(from(result.start),
          "ambiguous `{ ... | ... }` operand: read as a body holding a set-union expression, not "
          "as a comprehension",
          "write ({...}) for the comprehension, or put the union in parentheses");
    return result;
  }
  result.body = body;
  return result;
}

// A literal that starts with an operand in braces or parentheses. Nothing: it does not, and nothing
// was read.
std::optional<Expr*> Parser::logic_literal() {
  if (at(TokenKind::LeftBrace)) {
    auto const before = save();
    auto left = braces_operand();
    if (!left.body.empty() && at_logic()) return with_of(or_chain(left));
    restore(before);
  }
  if (at(TokenKind::LeftParen)) {
    if (auto found = group(false); found.is_group) {
      return found.operand.body.empty() ? nullptr : logic_tail(found.operand);
    }
  }
  return std::nullopt;
}

Expr* Parser::logic_tail(Operand left) {
  return with_of(at_logic() ? or_chain(left) : left.body[0]);
}

Expr* Parser::or_chain(Operand left) {
  Nested const nested{*this};
  if (!nested) return nullptr;
  Measured measured{*this, false};
  auto const fold_and = [&](Operand& side) {
    if (!at(TokenKind::LogicalAnd)) return true;
    auto* const expr = and_chain(side);
    if (expr == nullptr) return false;
    side.body = {};
    side.body.push_back(arena_, expr);
    side.in_braces = false;
    return true;
  };
  if (!fold_and(left)) return nullptr;
  while (at(TokenKind::LogicalOr)) {
    advance();
    auto right = operand();
    if (right.body.empty() || !fold_and(right) || !measured.grow()) return nullptr;
    auto* const expr = make_expr(ExprKind::Or);
    expr->left = left.body;
    expr->right = right.body;
    expr->left_in_braces = left.in_braces;
    expr->right_in_braces = right.in_braces;
    expr->at = from(left.start);
    left.body = {};
    left.body.push_back(arena_, expr);
    left.in_braces = false;
  }
  return left.body[0];
}

Expr* Parser::and_chain(Operand left) {
  Nested const nested{*this};
  if (!nested) return nullptr;
  Measured measured{*this, false};
  while (at(TokenKind::LogicalAnd)) {
    advance();
    auto right = operand();
    if (right.body.empty() || !measured.grow()) return nullptr;
    auto* const expr = make_expr(ExprKind::And);
    expr->left = left.body;
    expr->right = right.body;
    expr->left_in_braces = left.in_braces;
    expr->right_in_braces = right.in_braces;
    expr->at = from(left.start);
    left.body = {};
    left.body.push_back(arena_, expr);
    left.in_braces = false;
  }
  return left.body[0];
}

Parser::Operand Parser::operand() {
  Operand result{.start = token_};
  if (at(TokenKind::LeftBrace)) return braces_operand();
  auto const negated = at(TokenKind::Not) && !keyword_starts_reference();
  if (negated) advance();
  if (negated && not_bodies_ && at(TokenKind::LeftBrace)) {
    if (auto* const expr = not_body(result.start)) result.body.push_back(arena_, expr);
    return result;
  }
  if (at(TokenKind::LeftParen) && logic_enabled() && (!negated || not_bodies_)) {
    if (auto found = group(true); found.is_group) {
      if (!negated || found.operand.body.empty()) return found.operand;
      auto* const expr = make_expr(ExprKind::Body);
      expr->negated = true;
      expr->body = found.operand.body;
      expr->at = from(result.start);
      result.body.push_back(arena_, expr);
      return result;
    }
  }
  if (keyword_starts_reference()) token_.kind = TokenKind::Name;
  auto const first = token_;
  auto* expr = expression();
  if (expr == nullptr) return result;
  expr->at = from(first);
  if (negated) expr = negate(expr, result.start);
  result.body.push_back(arena_, expr);
  return result;
}

// Parentheses around operands of `and`, `or` and `not`. What is in them may be a plain term as
// well: then it is no group, and nothing was read. `is_operand`: it stands where only an operand
// can.
Parser::Group Parser::group(bool is_operand) {
  Nested const nested{*this};
  if (!nested) return {.is_group = true};
  auto const before = save();
  auto const open = token_;
  advance();
  if (at(TokenKind::RightParen)) {
    if (is_operand) {
      error(location_of(open), "empty parenthesized group");
      return {.is_group = true};
    }
    restore(before);
    return {};
  }
  auto inner = operand();
  if (inner.body.empty()) {
    restore(before);
    return {};
  }
  if (!at_logic()) return single_group(inner, open, before, is_operand);
  auto* const expr = with_of(or_chain(inner));
  if (expr == nullptr) return {.is_group = true};
  Operand whole{.start = open};
  whole.body.push_back(arena_, expr);
  return close_group(whole, open);
}

Parser::Group Parser::single_group(Operand inner, Token const& open, State const& before,
                                   bool is_operand) {
  auto* const only = inner.body[0];
  if (at(TokenKind::With) && !inner.in_braces) {
    auto const with_at = location_of(token_);
    if (!with_modifiers(only->with)) return {.is_group = true};
    if (at_logic()) {
      error(with_at,
            fmt::format("`with` modifier is not allowed on operand of `{}`", name_of(token_.kind)));
      return {.is_group = true};
    }
    auto closed = close_group(inner, open);
    if (closed.operand.body.empty() || is_operand || at_logic()) return closed;
    restore(before);
    return {};
  }
  auto const is_logic = only->kind == ExprKind::And || only->kind == ExprKind::Or;
  if (!inner.in_braces && inner.body.size() == 1 && (is_logic || only->negated)) {
    return close_group(inner, open);
  }
  restore(before);
  return {};
}

Parser::Group Parser::close_group(Operand inner, Token const& open) {
  if (!at(TokenKind::RightParen)) {
    error(location_of(token_), "expected ) to close parenthesized group");
    return {.is_group = true};
  }
  advance();
  inner.start = open;
  return {.is_group = true, .operand = inner};
}

}  // namespace sallyport::rego
