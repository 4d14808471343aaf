#include "src/rego/print.hpp"

#include "src/json/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace sallyport::rego {
namespace {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Term;
using ast::TermKind;

constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kOperators{{
    {"plus", "+"},
    {"minus", "-"},
    {"mul", "*"},
    {"div", "/"},
    {"rem", "%"},
    {"and", "&"},
    {"or", "|"},
    {"eq", "="},
    {"assign", ":="},
    {"equal", "=="},
    {"neq", "!="},
    {"lt", "<"},
    {"lte", "<="},
    {"gt", ">"},
    {"gte", ">="},
    {"internal.member_2", "in"},
    {"internal.member_3", "in"},
}};

class Printer {
 public:
  void term(Term const& term);
  void expr(Expr const& expr);
  void body(Body const& body);
  std::string take() { return std::move(out_); }

 private:
  void list(Term const* const* begin, Term const* const* end);
  void reference(Term const& ref);
  void call(Term const& call);
  void object(Term const& object);
  void comprehension(Term const& term, char open, char close);
  void template_string(Term const& term);
  void operand(Body const& body, bool in_braces);
  void every(Expr const& expr);

  std::string out_;
};

void Printer::list(Term const* const* begin, Term const* const* end) {
  for (auto const* const* item = begin; item != end; ++item) {
    if (item != begin) out_ += ", ";
    term(**item);
  }
}

void Printer::reference(Term const& ref) {
  term(*ref.items[0]);
  for (std::size_t i = 1; i < ref.items.size(); ++i) {
    auto const& part = *ref.items[i];
    if (part.kind == TermKind::Constant && part.value.is(Kind::String) &&
        is_name(part.value.as_string())) {
      out_ += '.';
      out_ += part.value.as_string();
      continue;
    }
    out_ += '[';
    term(part);
    out_ += ']';
  }
}

void Printer::call(Term const& call) {
  if (call.raw && call.items.size() == 3) {
    out_ += '-';
    term(*call.items[2]);
    return;
  }
  auto const symbol = call.infix ? operator_symbol(call.items[0]->name) : std::string_view{};
  if (symbol.empty() || call.items.size() < 3) {
    term(*call.items[0]);
    out_ += '(';
    list(call.items.begin() + 1, call.items.end());
    out_ += ')';
    return;
  }
  if (call.in_brackets) out_ += '(';
  list(call.items.begin() + 1, call.items.end() - 1);
  fmt::format_to(std::back_inserter(out_), " {} ", symbol);
  term(*call.items.back());
  if (call.in_brackets) out_ += ')';
}

void Printer::object(Term const& object) {
  out_ += '{';
  for (std::size_t i = 0; i + 1 < object.items.size(); i += 2) {
    if (i != 0) out_ += ", ";
    term(*object.items[i]);
    out_ += ": ";
    term(*object.items[i + 1]);
  }
  out_ += '}';
}

void Printer::comprehension(Term const& comprehension, char open, char close) {
  out_ += open;
  term(*comprehension.items[0]);
  if (comprehension.kind == TermKind::ObjectOf) {
    out_ += ": ";
    term(*comprehension.items[1]);
  }
  out_ += " | ";
  body(comprehension.body);
  out_ += close;
}

void Printer::template_string(Term const& whole) {
  auto const quote = whole.raw ? '`' : '"';
  out_ += '$';
  out_ += quote;
  for (auto const* item : whole.items) {
    if (item->kind == TermKind::Constant && !item->in_brackets) {
      append_template_text(item->value.as_string(), whole.raw, out_);
      continue;
    }
    out_ += '{';
    if (item->kind == TermKind::SetOf && item->raw) {
      auto inner = *item->body[0];
      inner.term = inner.term->items[2];
      expr(inner);
    } else {
      auto inner = *item;
      inner.in_brackets = false;
      term(inner);
    }
    out_ += '}';
  }
  out_ += quote;
}

void Printer::term(Term const& term) {
  switch (term.kind) {
    case TermKind::Constant: append_constant(term.value, out_); return;
    case TermKind::Var: out_ += term.name.starts_with('$') ? "_" : term.name; return;
    case TermKind::Ref: reference(term); return;
    case TermKind::Call: call(term); return;
    case TermKind::Array:
      out_ += '[';
      list(term.items.begin(), term.items.end());
      out_ += ']';
      return;
    case TermKind::Set:
      out_ += term.items.empty() ? "set(" : "{";
      list(term.items.begin(), term.items.end());
      out_ += term.items.empty() ? ")" : "}";
      return;
    case TermKind::Object: object(term); return;
    case TermKind::ArrayOf: comprehension(term, '[', ']'); return;
    case TermKind::SetOf:
    case TermKind::ObjectOf: comprehension(term, '{', '}'); return;
    case TermKind::Template: template_string(term); return;
  }
}

void Printer::operand(Body const& operand, bool in_braces) {
  auto const needs_parentheses =
      !in_braces && operand.size() == 1 &&
      (operand[0]->kind == ExprKind::And || operand[0]->kind == ExprKind::Or);
  if (in_braces || needs_parentheses) out_ += in_braces ? "{ " : "(";
  body(operand);
  if (in_braces || needs_parentheses) out_ += in_braces ? " }" : ")";
}

void Printer::every(Expr const& expr) {
  out_ += "every ";
  list(expr.symbols.begin(), expr.symbols.end());
  out_ += " in ";
  term(*expr.domain);
  out_ += " { ";
  body(expr.body);
  out_ += " }";
}

void Printer::expr(Expr const& expr) {
  if (expr.negated) out_ += "not ";
  switch (expr.kind) {
    case ExprKind::Term: term(*expr.term); break;
    case ExprKind::Some:
    case ExprKind::SomeIn:
      out_ += "some ";
      list(expr.symbols.begin(), expr.symbols.end());
      if (expr.kind == ExprKind::Some) break;
      out_ += " in ";
      term(*expr.domain);
      break;
    case ExprKind::Every: every(expr); break;
    case ExprKind::Body: operand(expr.body, expr.in_braces); break;
    case ExprKind::And:
    case ExprKind::Or:
      operand(expr.left, expr.left_in_braces);
      out_ += expr.kind == ExprKind::And ? " and " : " or ";
      operand(expr.right, expr.right_in_braces);
      break;
  }
  for (auto const& with : expr.with) {
    out_ += " with ";
    term(*with.target);
    out_ += " as ";
    term(*with.value);
  }
}

void Printer::body(Body const& body) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (i != 0) out_ += "; ";
    expr(*body[i]);
  }
}

}  // namespace

std::string_view operator_symbol(std::string_view function) noexcept {
  auto const* const found =
      std::ranges::find(kOperators, function, [](auto const& entry) { return entry.first; });
  return found == kOperators.end() ? std::string_view{} : found->second;
}

bool is_name(std::string_view text) noexcept {
  auto const is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

void append_quoted(std::string_view text, std::string& out) {
  json::write_string(text, out);
}

void append_template_text(std::string_view text, bool raw, std::string& out) {
  std::string quoted;
  if (!raw) {
    json::write_string(text, quoted);
    quoted = quoted.substr(1, quoted.size() - 2);
  }
  for (auto const c : raw ? text : std::string_view{quoted}) {
    if (c == '{') out += '\\';
    out += c;
  }
}

void append_constant(Value value, std::string& out) {
  if (value.is(Kind::Null)) out += "null";
  if (value.is(Kind::Boolean)) out += value.as_boolean() ? "true" : "false";
  if (value.is(Kind::String)) append_quoted(value.as_string(), out);
  if (!value.is(Kind::Number)) return;
  if (value.is_int64()) {
    fmt::format_to(std::back_inserter(out), "{}", value.as_int64());
  } else {
    out += value.as_number_text();
  }
}

std::string_view kind_name(Term const& term) noexcept {
  switch (term.kind) {
    case TermKind::Constant: return name_of(term.value.kind());
    case TermKind::Var: return "var";
    case TermKind::Ref: return "ref";
    case TermKind::Call: return "call";
    case TermKind::Array: return "array";
    case TermKind::Set: return "set";
    case TermKind::Object: return "object";
    case TermKind::ArrayOf: return "arraycomprehension";
    case TermKind::SetOf: return "setcomprehension";
    case TermKind::ObjectOf: return "objectcomprehension";
    case TermKind::Template: return "templatestring";
  }
  return "term";
}

std::string to_text(Term const& term) {
  Printer printer;
  printer.term(term);
  return printer.take();
}

std::string to_text(Expr const& expr) {
  Printer printer;
  printer.expr(expr);
  return printer.take();
}

std::string to_text(Body const& body) {
  Printer printer;
  printer.body(body);
  return printer.take();
}

}  // namespace sallyport::rego
