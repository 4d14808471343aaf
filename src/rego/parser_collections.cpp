// Arrays, sets, objects and their comprehensions.
//
// Inside brackets a `|` behind the first term means a comprehension. Where its body turns out to be
// none (`[a | b, c]`), it was the operator after all.
#include "src/rego/parser_core.hpp"

#include <fmt/format.h>

namespace sallyport::rego {

using ast::Term;
using ast::TermKind;
using ast::Terms;

// `first` (and `second`, of an object) is read, `|` is current.
Parser::Comprehension Parser::comprehension(TermKind kind, Term* first, Term* second,
                                            Token const& start) {
  auto const before = save();
  advance();
  auto const end = kind == TermKind::ArrayOf ? TokenKind::RightBracket : TokenKind::RightBrace;
  auto body = body_until(end);
  if (body.empty()) {
    if (!at(TokenKind::Comma)) return {};
    restore(before);
    return {.is_operator = true};
  }
  advance();
  auto* const result = make_term(kind, from(start));
  result->items.push_back(arena_, first);
  if (second != nullptr) result->items.push_back(arena_, second);
  result->body = body;
  return {.term = result};
}

Term* Parser::array() {
  auto const start = token_;
  advance();
  Terms items;
  auto may_be_comprehension = true;
  // `[, x]` is legal, for old policies.
  if (at(TokenKind::Comma)) {
    may_be_comprehension = false;
    advance();
  }
  if (!at(TokenKind::RightBracket)) {
    auto* first = term();
    if (first == nullptr) return nullptr;
    if (may_be_comprehension && at(TokenKind::Bar)) {
      auto const found = comprehension(TermKind::ArrayOf, first, nullptr, start);
      if (!found.is_operator) return found.term;
    }
    first = membership(first, false);
    if (first == nullptr) return nullptr;
    items.push_back(arena_, first);
    if (!list(items, TokenKind::RightBracket)) return nullptr;
  }
  advance();
  auto* const result = make_term(TermKind::Array, from(start));
  result->items = items;
  return result;
}

Term* Parser::set_or_object() {
  auto const start = token_;
  advance();
  if (at(TokenKind::RightBrace)) {
    advance();
    return make_term(TermKind::Object, from(start));
  }
  auto may_be_comprehension = true;
  if (at(TokenKind::Comma)) {
    may_be_comprehension = false;
    advance();
  }
  auto* first = term();
  if (first == nullptr) return nullptr;
  if (may_be_comprehension && at(TokenKind::Bar)) {
    auto const found = comprehension(TermKind::SetOf, first, nullptr, start);
    if (!found.is_operator) return found.term;
  }
  first = membership(first, false);
  if (first == nullptr) return nullptr;
  if (at(TokenKind::Colon)) return object(first, may_be_comprehension, start);
  if (!at(TokenKind::Comma) && !at(TokenKind::RightBrace)) return illegal("non-terminated set");
  auto* const result = make_term(TermKind::Set, {});
  result->items.push_back(arena_, first);
  if (!list(result->items, TokenKind::RightBrace)) return nullptr;
  advance();
  result->at = from(start);
  return result;
}

// The first key is read, the colon is current.
Term* Parser::object(Term* key, bool may_be_comprehension, Token const& start) {
  advance();
  auto* value = term();
  if (value == nullptr) return nullptr;
  if (may_be_comprehension && at(TokenKind::Bar)) {
    auto const found = comprehension(TermKind::ObjectOf, key, value, start);
    if (!found.is_operator) return found.term;
  }
  value = membership(value, false);
  if (value == nullptr) return nullptr;
  if (!at(TokenKind::Comma) && !at(TokenKind::RightBrace)) return illegal("non-terminated object");
  auto* const result = make_term(TermKind::Object, {});
  result->items.push_back(arena_, key);
  result->items.push_back(arena_, value);
  if (!pairs(result->items)) return nullptr;
  advance();
  result->at = from(start);
  return result;
}

// Up to `end`, which is current then. What is in `items` already has no comma behind it yet: the
// first of a collection. (Of a call it is the function, which has none.)
bool Parser::list(Terms& items, TokenKind end) {
  auto wants_comma = end != TokenKind::RightParen;
  while (!at(end)) {
    if (wants_comma) {
      if (!at(TokenKind::Comma)) {
        illegal(fmt::format("expected \",\" or \"{}\"", name_of(end)));
        return false;
      }
      advance();
      if (at(end)) return true;
    }
    auto* const item = infix(false);
    if (item == nullptr) return false;
    items.push_back(arena_, item);
    wants_comma = true;
  }
  return true;
}

bool Parser::pairs(Terms& items) {
  while (!at(TokenKind::RightBrace)) {
    if (!at(TokenKind::Comma)) {
      illegal("expected \",\" or \"}\"");
      return false;
    }
    advance();
    if (at(TokenKind::RightBrace)) return true;
    auto* const key = infix(false);
    if (key == nullptr) return false;
    if (!at(TokenKind::Colon)) {
      illegal("expected \":\"");
      return false;
    }
    advance();
    auto* const value = infix(false);
    if (value == nullptr) return false;
    items.push_back(arena_, key);
    items.push_back(arena_, value);
  }
  return true;
}

}  // namespace sallyport::rego
