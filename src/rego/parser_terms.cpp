// Terms: operators, references, calls, scalars, templates.
#include "src/rego/number.hpp"
#include "src/rego/parser_core.hpp"

#include <fmt/format.h>

namespace sallyport::rego {

using ast::Term;
using ast::TermKind;
using ast::Terms;

namespace {

struct Operator {
  int precedence{0};  // 0: none
  std::string_view function;
};

Operator operator_of(TokenKind kind) {
  switch (static_cast<int>(kind)) {
    case static_cast<int>(TokenKind::Equal): return {1, "equal"};
    case static_cast<int>(TokenKind::NotEqual): return {1, "neq"};
    case static_cast<int>(TokenKind::Less): return {1, "lt"};
    case static_cast<int>(TokenKind::LessEqual): return {1, "lte"};
    case static_cast<int>(TokenKind::Greater): return {1, "gt"};
    case static_cast<int>(TokenKind::GreaterEqual): return {1, "gte"};
    case static_cast<int>(TokenKind::Bar): return {2, "or"};
    case static_cast<int>(TokenKind::Ampersand): return {3, "and"};
    case static_cast<int>(TokenKind::Plus): return {4, "plus"};
    case static_cast<int>(TokenKind::Minus): return {4, "minus"};
    case static_cast<int>(TokenKind::Multiply): return {5, "mul"};
    case static_cast<int>(TokenKind::Divide): return {5, "div"};
    case static_cast<int>(TokenKind::Remainder): return {5, "rem"};
    default: return {};
  }
}

constexpr int kRelation = 1;

std::string_view name_of_head(Term const& head) {
  switch (head.kind) {
    case TermKind::Constant: return name_of(head.value.kind());
    case TermKind::Ref: return "ref";
    case TermKind::Template: return "template-string";
    case TermKind::Var:
    case TermKind::Call:
    case TermKind::Array:
    case TermKind::Set:
    case TermKind::Object:
    case TermKind::ArrayOf:
    case TermKind::SetOf:
    case TermKind::ObjectOf: return {};
  }
  return {};
}

// The place of an operator's call: from its first operand to the end of its last.
Location spanning(Location first, std::uint32_t end) {
  first.length = std::max(end, first.offset) - first.offset;
  return first;
}

}  // namespace

// `pairs`: a comma may follow the first operand, as in `k, v in xs`.
Term* Parser::infix(bool pairs) {
  return membership(nullptr, pairs);
}

Term* Parser::membership(Term* left, bool pairs) {
  Measured measured{*this, left == nullptr};
  left = binary(left, kRelation);
  if (left == nullptr) return nullptr;
  if (pairs && at(TokenKind::Comma)) {
    if (auto* const pair = membership_of_pair(left)) left = pair;
  }
  while (true) {
    // `with.x` on the next line is a reference, as `in.x` is: no keyword goes on here.
    if (keyword_starts_reference()) token_.kind = TokenKind::Name;
    if (!at(TokenKind::In)) return left;
    auto const in = location_of(token_);
    advance();
    auto* const right = binary(nullptr, kRelation);
    if (right == nullptr || !measured.grow()) return nullptr;
    auto* const call = make_call("internal.member_2", in, spanning(left->at, last_end_));
    call->items.push_back(arena_, left);
    call->items.push_back(arena_, right);
    left = call;
  }
}

// `left, second in collection`. Null, with nothing read, where it is something else.
Term* Parser::membership_of_pair(Term* left) {
  auto const before = save();
  advance();
  auto* const second = binary(nullptr, kRelation);
  if (second != nullptr && at(TokenKind::In)) {
    auto const in = location_of(token_);
    advance();
    if (auto* const collection = binary(nullptr, kRelation)) {
      auto* const call = make_call("internal.member_3", in, spanning(left->at, last_end_));
      for (auto* const item : {left, second, collection}) call->items.push_back(arena_, item);
      return call;
    }
  }
  restore(before);
  return nullptr;
}

// Operators that bind at least as tightly as `lowest`; all of them bind to the left.
Term* Parser::binary(Term* left, int lowest) {
  Measured measured{*this, left == nullptr};
  if (left == nullptr) left = term();
  while (left != nullptr) {
    auto const found = operator_of(token_.kind);
    if (found.precedence < lowest) return left;
    auto const where = location_of(token_);
    advance();
    auto* const right = binary(nullptr, found.precedence + 1);
    if (right == nullptr || !measured.grow()) return nullptr;
    auto* const call = make_call(found.function, where, spanning(left->at, last_end_));
    call->items.push_back(arena_, left);
    call->items.push_back(arena_, right);
    left = call;
  }
  return nullptr;
}

Term* Parser::term() {
  Nested const nested{*this};
  if (!nested) return nullptr;
  Measured measured{*this, true};
  auto const start = token_;
  if (at(TokenKind::Minus)) return minus();
  auto* const first = primary();
  if (first == nullptr || !measured.grow()) return nullptr;
  return reference(first, start);
}

// One token, or what is between two brackets; the token after it is current.
Term* Parser::primary() {
  auto const where = location_of(token_);
  auto const take = [&](Term* term) {
    advance();
    return term;
  };
  auto const constant = [&](Value value) {
    auto* const term = make_term(TermKind::Constant, where);
    term->value = value;
    return take(term);
  };
  if (at_logic() && lexer_.following() == '(') token_.kind = TokenKind::Name;
  switch (static_cast<int>(token_.kind)) {
    case static_cast<int>(TokenKind::Null): return constant(Value::null());
    case static_cast<int>(TokenKind::True): return constant(Value::boolean(true));
    case static_cast<int>(TokenKind::False): return constant(Value::boolean(false));
    case static_cast<int>(TokenKind::Name):
    case static_cast<int>(TokenKind::Contains): return take(var_of_token());
    case static_cast<int>(TokenKind::Number):
    case static_cast<int>(TokenKind::Dot): return number();
    case static_cast<int>(TokenKind::String):
    case static_cast<int>(TokenKind::RawString): return string();
    case static_cast<int>(TokenKind::TemplatePart):
    case static_cast<int>(TokenKind::TemplateEnd):
    case static_cast<int>(TokenKind::RawTemplatePart):
    case static_cast<int>(TokenKind::RawTemplateEnd): return template_string();
    case static_cast<int>(TokenKind::LeftBracket): return array();
    case static_cast<int>(TokenKind::LeftBrace): return set_or_object();
    case static_cast<int>(TokenKind::LeftParen): return in_parentheses();
    default: return illegal();
  }
}

// `-1` is a number; `-x` is 0 - x.
Term* Parser::minus() {
  auto const start = token_;
  auto const before = save();
  advance();
  if (!at(TokenKind::Name) && !at(TokenKind::Contains)) {
    restore(before);
    auto* const negative = number();
    return negative == nullptr ? nullptr : reference(negative, start);
  }
  auto const name = token_;
  auto* const variable = var_of_token();
  advance();
  auto* const operand = reference(variable, name);
  if (operand == nullptr) return nullptr;
  auto* const call = make_call("minus", location_of(start), from(start));
  auto* const zero = make_term(TermKind::Constant, location_of(start));
  zero->value = Value::integer(0);
  call->raw = true;
  call->items.push_back(arena_, zero);
  call->items.push_back(arena_, operand);
  return call;
}

Term* Parser::number() {
  auto const start = token_;
  std::string text;
  if (at(TokenKind::Minus)) {
    text = "-";
    advance();
    if (!at(TokenKind::Number) && !at(TokenKind::Dot)) return illegal("expected number");
  }
  auto const is_fraction = at(TokenKind::Dot);
  if (is_fraction) {
    text += "0.";
    advance();
    if (!at(TokenKind::Number)) return illegal("expected number");
    if (token_.text.find('.') != std::string_view::npos) return illegal("invalid float");
  } else if (token_.text.size() > 1 && token_.text[0] == '0' && token_.text[1] != '.' &&
             token_.text[1] != 'e' && token_.text[1] != 'E') {
    return illegal("expected number without leading zero");
  }
  // Most numbers are written as they are kept.
  auto const value = text.empty() ? make_number(token_.text, arena_)
                                  : make_number(arena_.copy(text.append(token_.text)), arena_);
  if (!value.is_defined()) return error(location_of(token_), "number too big");
  advance();
  auto* const term = make_term(TermKind::Constant, from(start));
  term->value = value;
  return term;
}

Term* Parser::in_parentheses() {
  advance();
  auto* const inner = infix();
  if (inner == nullptr) return nullptr;
  if (!at(TokenKind::RightParen)) return error(location_of(token_), "non-terminated expression");
  inner->in_brackets = true;
  advance();
  return inner;
}

// `head`, or what the `.`, `[` and `(` right behind it make of it.
Term* Parser::reference(Term* head, Token const& start) {
  auto const goes_on = [&] {
    return !token_.space_before &&
           (at(TokenKind::Dot) || at(TokenKind::LeftBracket) || at(TokenKind::LeftParen));
  };
  auto const is_document =
      head->kind == TermKind::Var && (head->name == "input" || head->name == "data");
  if (!goes_on() && !is_document) return head;
  if (auto const name = name_of_head(*head); !name.empty()) {
    return error(head->at, fmt::format("illegal ref (head cannot be {})", name));
  }
  Measured measured{*this, false};
  Terms parts;
  parts.push_back(arena_, head);
  auto was_call = false;
  while (goes_on()) {
    if (!at(TokenKind::LeftParen)) {
      was_call = false;
      if (!reference_part(parts)) return nullptr;
      if (parts.size() > kLongestReference) {
        return give_up(fmt::format("a reference of more than {} parts", kLongestReference));
      }
      continue;
    }
    if (was_call) break;
    auto* const result = call(parts, start);
    if (result == nullptr || !measured.grow()) return nullptr;
    parts = {};
    parts.push_back(arena_, result);
    was_call = true;
  }
  if (!measured.grow()) return nullptr;
  if (parts.size() == 1 && !is_document) return parts[0];
  if (parts.size() == 1 && parts[0] != head) return parts[0];
  auto* const ref = make_term(TermKind::Ref, from(start));
  ref->items = parts;
  return ref;
}

bool Parser::reference_part(Terms& parts) {
  auto const by_name = at(TokenKind::Dot);
  advance();
  if (by_name) {
    if (token_.space_before || (!at(TokenKind::Name) && !is_keyword(token_.kind))) {
      illegal("expected identifier");
      return false;
    }
    parts.push_back(arena_, make_string(token_.text, location_of(token_)));
  } else {
    auto* const part = infix();
    if (part == nullptr) return false;
    if (!at(TokenKind::RightBracket)) {
      illegal("expected ]");
      return false;
    }
    parts.push_back(arena_, part);
  }
  advance();
  return true;
}

Term* Parser::call(Terms const& parts, Token const& start) {
  auto* function = parts[0];
  if (function->kind != TermKind::Var) {
    return error(function->at, "only a name can be called as a function");
  }
  if (parts.size() > 1) {
    function = make_term(TermKind::Ref, from(start));
    function->items = parts;
  }
  advance();
  Terms items;
  items.push_back(arena_, function);
  if (!list(items, TokenKind::RightParen)) return nullptr;
  advance();
  auto const is_empty_set = items.size() == 1 && parts.size() == 1 && function->name == "set";
  auto* const result = make_term(is_empty_set ? TermKind::Set : TermKind::Call, from(start));
  if (!is_empty_set) result->items = items;
  return result;
}

}  // namespace sallyport::rego
