// Strings and templates.
#include "src/rego/parser_core.hpp"
#include "src/rego/unescape.hpp"

#include <fmt/format.h>

namespace sallyport::rego {

using ast::Term;
using ast::TermKind;

Term* Parser::string() {
  auto const raw = at(TokenKind::RawString);
  auto const inside = token_.text.substr(1, token_.text.size() - 2);
  auto const text = raw ? std::optional{inside} : unescape(inside, arena_);
  if (!text) {
    return error(location_of(token_), fmt::format("illegal string literal: {}", token_.text));
  }
  auto* const term = make_string(*text, location_of(token_));
  term->raw = raw;
  advance();
  return term;
}

Term* Parser::template_string() {
  auto const start = token_;
  auto const raw = at(TokenKind::RawTemplatePart) || at(TokenKind::RawTemplateEnd);
  auto* const result = make_term(TermKind::Template, location_of(start));
  result->raw = raw;
  // The first part begins with $ and a quote, the others with the brace that ends an expression.
  for (std::size_t prefix = 2;; prefix = 1) {
    if (at(TokenKind::Illegal) || at(TokenKind::End)) return illegal();
    auto const inside = token_.text.substr(prefix, token_.text.size() - prefix - 1);
    auto const text = unescape_template(inside, raw, arena_);
    if (!text) return error(location_of(token_), "illegal template-string part");
    if (!text->empty()) result->items.push_back(arena_, make_string(*text, location_of(token_)));
    if (at(TokenKind::TemplateEnd) || at(TokenKind::RawTemplateEnd)) break;
    advance();
    auto* const part = template_expression();
    if (part == nullptr) return nullptr;
    result->items.push_back(arena_, part);
    if (!at(TokenKind::RightBrace)) {
      return error(location_of(token_), "expected } to end template string expression");
    }
    continue_template(raw);
  }
  advance();
  result->at = from(start);
  return result;
}

Term* Parser::template_expression() {
  auto const start = token_;
  auto* const expr = literal();
  if (expr == nullptr) return nullptr;
  auto const refuse = [&](std::string_view what) {
    return error(expr->at, fmt::format("unexpected {} in template-string expression", what));
  };
  if (expr->negated) return refuse("negation ('not')");
  if (expr->kind == ast::ExprKind::Every) return refuse("'every'");
  if (expr->kind == ast::ExprKind::Some || expr->kind == ast::ExprKind::SomeIn) {
    return refuse("'some'");
  }
  if (expr->kind == ast::ExprKind::And) return refuse("'and'");
  if (expr->kind == ast::ExprKind::Or) return refuse("'or'");
  auto* const term = expr->term;
  if (term->kind == TermKind::Call && term->infix) {
    if (term->items[0]->name == "eq") return refuse("unification ('=')");
    if (term->items[0]->name == "assign") return refuse("assignment (':=')");
  }
  if (expr->with.empty()) {
    term->in_brackets = true;
    return term;
  }
  // See ast.hpp: {x | x = term with …}.
  auto* const only = make_term(TermKind::SetOf, from(start));
  only->in_brackets = only->raw = true;
  only->items.push_back(arena_, fresh_wildcard(term->at));
  expr->term = make_call("eq", term->at, term->at);
  expr->term->items.push_back(arena_, make_var(only->items[0]->name, term->at));
  expr->term->items.push_back(arena_, term);
  only->body.push_back(arena_, expr);
  return only;
}

}  // namespace sallyport::rego
