// Bodies and what they consist of.
#include "src/rego/parser_core.hpp"

#include <fmt/format.h>

namespace sallyport::rego {

using ast::Expr;
using ast::ExprKind;
using ast::Term;
using ast::TermKind;

// Literals on lines of their own or between semicolons, up to `end`, which is current then.
ast::Body Parser::body_until(TokenKind end) {
  ast::Body body;
  Nested const nested{*this};
  if (!nested) return {};
  if (at(end)) {
    error(location_of(token_), "found empty body");
    return {};
  }
  while (true) {
    Measured const measured{*this, true};
    auto* const next = literal();
    if (next == nullptr) return {};
    body.push_back(arena_, next);
    if (at(TokenKind::Semicolon)) {
      advance();
      continue;
    }
    if (at(end)) return body;
    if (!token_.new_line_before || at(TokenKind::End)) {
      illegal(fmt::format("expected \\n or ; or {}", name_of(end)));
      return {};
    }
  }
}

Expr* Parser::finished(Expr* expr, Token const& start) const {
  if (expr != nullptr) expr->at = from(start);
  return expr;
}

Expr* Parser::literal() {
  auto const start = token_;
  if (logic_enabled()) {
    if (auto const found = logic_literal()) return finished(*found, start);
  }
  if (keyword_starts_reference()) {
    token_.kind = TokenKind::Name;
    return finished(literal_expression(false, start), start);
  }
  auto const negated = at(TokenKind::Not);
  if (negated) advance();
  if (negated && not_bodies_ && at(TokenKind::LeftBrace)) {
    auto* const inner = not_body(start);
    if (inner == nullptr) return nullptr;
    Operand left{.start = start};
    left.body.push_back(arena_, inner);
    return finished(logic_tail(left), start);
  }
  if (at(TokenKind::Some) && !keyword_starts_reference()) {
    if (negated) return illegal("illegal negation of 'some'"), nullptr;
    return finished(some(), start);
  }
  if (at(TokenKind::Every) && !keyword_starts_reference()) {
    if (negated) return illegal("illegal negation of 'every'"), nullptr;
    return finished(every(), start);
  }
  return finished(literal_expression(negated, start), start);
}

// With the `not` before it read.
Expr* Parser::literal_expression(bool negated, Token const& start) {
  if (negated && not_bodies_ && at(TokenKind::LeftParen)) {
    if (auto found = group(true); found.is_group) {
      if (found.operand.body.empty()) return nullptr;
      auto* const expr = make_expr(ExprKind::Body);
      expr->negated = true;
      expr->body = found.operand.body;
      expr->at = from(start);
      Operand left{.start = start};
      left.body.push_back(arena_, expr);
      return logic_tail(left);
    }
  }
  if (negated && keyword_starts_reference()) token_.kind = TokenKind::Name;
  auto const brace_led = !negated && at(TokenKind::LeftBrace);
  auto* expr = expression();
  if (expr == nullptr) return nullptr;
  auto const with_at = location_of(token_);
  auto const has_with = at(TokenKind::With);
  if (has_with && !with_modifiers(expr->with)) return nullptr;
  if (negated) expr = negate(expr, start);
  if (!at_logic()) return expr;
  auto const keyword = name_of(token_.kind);
  if (has_with) {
    return error(with_at, fmt::format("`with` modifier is not allowed on operand of `{}`", keyword),
                 fmt::format("wrap the operand in (...) or {{...}}, or move `with` behind the "
                             "`{}` expression",
                             keyword)),
           nullptr;
  }
  if (brace_led) {
    return error(from(start),
                 fmt::format("operand of `{}` cannot begin with `{{` unless the braces hold a body",
                             keyword),
                 "wrap the operand in (...)"),
           nullptr;
  }
  expr->at = from(start);
  Operand left{.start = start};
  left.body.push_back(arena_, expr);
  return with_of(or_chain(left));
}

// The negation of one expression. Under `future.keywords.not` it is that of a body.
Expr* Parser::negate(Expr* inner, Token const& start) {
  if (!not_bodies_) {
    inner->negated = true;
    return inner;
  }
  auto* const outer = make_expr(ExprKind::Body);
  outer->negated = true;
  outer->with = inner->with;
  inner->with = {};
  inner->at = outer->at = from(start);
  outer->body.push_back(arena_, inner);
  return outer;
}

bool Parser::with_modifiers(ast::List<ast::With>& with) {
  while (at(TokenKind::With)) {
    auto const start = token_;
    advance();
    if (!at(TokenKind::Name)) {
      illegal("expected ident");
      return false;
    }
    ast::With next;
    next.target = term();
    if (next.target == nullptr) return false;
    if (next.target->kind != TermKind::Ref && next.target->kind != TermKind::Var) {
      illegal("expected with target path");
      return false;
    }
    if (!at(TokenKind::As)) {
      illegal("expected as keyword");
      return false;
    }
    advance();
    next.value = infix();
    if (next.value == nullptr) return false;
    next.at = from(start);
    with.push_back(arena_, next);
  }
  return true;
}

namespace {

bool is_membership(Term const& term) {
  return term.kind == TermKind::Call && term.infix && !term.in_brackets &&
         term.items[0]->name.starts_with("internal.member_");
}

// The patterns of `x in xs` or `k, v in xs` and the collection.
void take_membership(Term const& call, Expr& expr, Arena& arena) {
  for (std::size_t i = 1; i + 1 < call.items.size(); ++i) {
    expr.symbols.push_back(arena, call.items[i]);
  }
  expr.domain = call.items.back();
}

}  // namespace

Expr* Parser::some() {
  auto const before = save();
  advance();
  auto* const found = infix();
  if (found != nullptr && found->kind == TermKind::Call) {
    if (!is_membership(*found)) {
      return illegal("expected `x in xs` or `x, y in xs` expression"), nullptr;
    }
    auto* const expr = make_expr(ExprKind::SomeIn);
    take_membership(*found, *expr, arena_);
    return with_of(expr);
  }
  restore(before);
  return some_names(make_expr(ExprKind::Some));
}

Expr* Parser::some_names(Expr* expr) {
  do {
    advance();
    if (!at(TokenKind::Name)) return illegal("expected var"), nullptr;
    expr->symbols.push_back(arena_, var_of_token());
    advance();
  } while (at(TokenKind::Comma));
  return expr;
}

Expr* Parser::every() {
  advance();
  auto* const found = infix();
  if (found == nullptr) return nullptr;
  if (!is_membership(*found)) {
    return illegal("expected `x[, y] in xs { ... }` expression"), nullptr;
  }
  auto* const expr = make_expr(ExprKind::Every);
  take_membership(*found, *expr, arena_);
  for (auto const* symbol : expr->symbols) {
    if (symbol->kind == TermKind::Var) continue;
    auto const* const which = symbol == expr->symbols.back() ? "value" : "key";
    return illegal(fmt::format("expected {} to be a variable", which)), nullptr;
  }
  if (!at(TokenKind::LeftBrace)) return illegal("missing body"), nullptr;
  expr->body = body_in_braces();
  return expr->body.empty() ? nullptr : with_of(expr);
}

// A term, or two around `:=` or `=`.
Expr* Parser::expression() {
  auto* const left = infix();
  if (left == nullptr) return nullptr;
  auto* const expr = make_expr(ExprKind::Term);
  expr->term = left;
  if (!at(TokenKind::Assign) && !at(TokenKind::Unify)) return expr;
  auto const* const function = at(TokenKind::Assign) ? "assign" : "eq";
  auto const where = location_of(token_);
  advance();
  auto* const right = infix();
  if (right == nullptr) return nullptr;
  auto span = left->at;
  span.length = last_end_ - std::min(last_end_, span.offset);
  expr->term = make_call(function, where, span);
  expr->term->items.push_back(arena_, left);
  expr->term->items.push_back(arena_, right);
  return expr;
}

Expr* Parser::with_of(Expr* expr) {
  if (expr != nullptr && !with_modifiers(expr->with)) return nullptr;
  return expr;
}

}  // namespace sallyport::rego
