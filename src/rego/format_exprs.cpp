#include "src/rego/format_core.hpp"
#include "src/rego/print.hpp"

#include <utility>

namespace sallyport::rego {

using ast::Body;
using ast::Expr;
using ast::ExprKind;
using ast::Term;
using ast::TermKind;

namespace {

bool is_logic(Expr const& expr) {
  return expr.kind == ExprKind::And || expr.kind == ExprKind::Or;
}

// Whether its text begins with a brace, which would be read as a body in the place of an operand.
bool leads_with_brace(Term const& term) {
  switch (term.kind) {
    case TermKind::Set: return !term.items.empty();
    case TermKind::Object:
    case TermKind::SetOf:
    case TermKind::ObjectOf: return true;
    case TermKind::Ref: return leads_with_brace(*term.items[0]);
    case TermKind::Call: return term.infix && !term.raw && leads_with_brace(*term.items[1]);
    case TermKind::Constant:
    case TermKind::Var:
    case TermKind::Array:
    case TermKind::ArrayOf:
    case TermKind::Template: return false;
  }
  return false;
}

bool leads_with_brace(Expr const& expr) {
  return expr.kind == ExprKind::Term && !expr.negated && leads_with_brace(*expr.term);
}

bool operand_needs_parentheses(Expr const& operand, ExprKind parent, bool is_right) {
  if (!operand.with.empty()) return true;
  if (operand.kind == ExprKind::Or) return parent == ExprKind::And || is_right;
  if (operand.kind == ExprKind::And) return parent == ExprKind::And && is_right;
  return leads_with_brace(operand);
}

bool is_union(Term const& term) {
  return term.kind == TermKind::Call && term.infix && term.items[0]->name == "or";
}

}  // namespace

// Each expression on a line of its own; the line of what is before it is open.
void Formatter::body(Body const& body) {
  auto row = std::uint32_t{0};
  for (std::size_t i = 0; i < body.size(); ++i) {
    auto const& one = *body[i];
    auto const next = i + 1 < body.size() ? body[i + 1]->at.offset : source_.size();
    new_line();
    if (row != 0 && one.at.row > row + 1) blank_line();
    leading_comments(one.at.offset, 0);
    start_line();
    expr(one);
    row = end_row(one.at);
    trailing_comment(row, next);
  }
  union_leads_ = false;
}

// Where a comment inside could not be placed, as it was.
void Formatter::expr(Expr const& expr) {
  auto const before = mark();
  auto const outer = std::exchange(misplaced_, false);
  plain_expr(expr);
  // A comment before it is for what holds this expression to place.
  auto const is_ours = !has_comment_before(expr.at.offset);
  if (misplaced_ || (is_ours && has_comment_before(end_of(expr.at)))) {
    roll_back(before);
    as_it_was(expr.at);
  }
  misplaced_ = outer;
}

void Formatter::plain_expr(Expr const& expr) {
  auto const leads = std::exchange(union_leads_, false);
  auto const negates_body = expr.kind == ExprKind::Body;
  if (expr.negated && !negates_body) write("not ");
  switch (expr.kind) {
    case ExprKind::Term:
      union_leads_ = leads && !expr.negated;
      top_term(*expr.term);
      break;
    case ExprKind::Some:
    case ExprKind::SomeIn: some(expr); break;
    case ExprKind::Every: every(expr); break;
    case ExprKind::Body: negated_body(expr); break;
    case ExprKind::And:
    case ExprKind::Or: {
      auto const level = level_;
      auto indented = false;
      union_leads_ = leads;
      logic(expr, indented);
      level_ = level;
      break;
    }
  }
  union_leads_ = false;
  with(expr);
}

// The operands of the outermost operator need parentheses only where the grammar asks for them.
void Formatter::top_term(Term const& whole) {
  auto const leads = std::exchange(union_leads_, false);
  if (whole.kind != TermKind::Call || !whole.infix || whole.raw) {
    term(whole);
    return;
  }
  auto const function = whole.items[0]->name;
  auto const wraps = leads && is_union(whole);
  if (wraps) write("(");
  auto const is_assignment = function == "assign" || function == "eq";
  if (is_assignment) {
    auto const left_union = leads && is_union(*whole.items[1]);
    if (left_union) write("(");
    term(*whole.items[1]);
    if (left_union) write(")");
    write(function == "assign" ? " := " : " = ");
    term(*whole.items[2]);
  } else {
    operation(whole, false, leads);
  }
  if (wraps) write(")");
}

void Formatter::some(Expr const& expr) {
  write("some ");
  for (std::size_t i = 0; i < expr.symbols.size(); ++i) {
    if (i != 0) write(", ");
    term(*expr.symbols[i], expr.kind == ExprKind::SomeIn);
  }
  if (expr.kind == ExprKind::Some) return;
  write(" in ");
  term(*expr.domain, true);
}

// The offset of the bracket behind a body.
std::size_t Formatter::close_of_body(Body const& body) const {
  auto at = end_of(body.back()->at);
  while (at < source_.size() && source_[at] != '}') {
    // A comment may hold braces.
    if (source_[at] == '#') at = source_.find('\n', at);
    if (at >= source_.size()) break;
    ++at;
  }
  return at;
}

void Formatter::every(Expr const& expr) {
  write("every ");
  for (std::size_t i = 0; i < expr.symbols.size(); ++i) {
    if (i != 0) write(", ");
    term(*expr.symbols[i]);
  }
  write(" in ");
  term(*expr.domain, true);
  write(" {");
  body_in_brackets(expr.body, expr.at.row, close_of_body(expr.body));
  if (!out_.ends_with('\t') && !out_.ends_with('\n')) write(" ");
  write("}");
}

// Behind an opening bracket on `row`: on the same line where it was, else on lines of its own, with
// the indentation for the closing bracket written.
void Formatter::body_in_brackets(Body const& inner, std::uint32_t row, std::size_t close) {
  auto is_one_line = inner[0]->at.row == row;
  for (std::size_t i = 1; i < inner.size(); ++i) {
    if (inner[i]->at.row != inner[i - 1]->at.row) is_one_line = false;
  }
  if (is_one_line) {
    write(" ");
    for (std::size_t i = 0; i < inner.size(); ++i) {
      if (i != 0) write("; ");
      auto const leads = i == 0 && union_leads_;
      union_leads_ = leads;
      expr(*inner[i]);
    }
    return;
  }
  trailing_comment(row, inner[0]->at.offset);
  ++level_;
  body(inner);
  leading_comments(close, 0);
  --level_;
  start_line();
}

void Formatter::negated_body(Expr const& expr) {
  write("not ");
  if (expr.in_braces || expr.body.size() > 1) {
    write("{");
    union_leads_ = true;
    body_in_brackets(expr.body, expr.at.row, close_of_body(expr.body));
    if (!out_.ends_with('\t') && !out_.ends_with('\n')) write(" ");
    write("}");
    return;
  }
  auto const& inner = *expr.body[0];
  auto const parentheses = !inner.with.empty() || is_logic(inner) || leads_with_brace(inner);
  if (parentheses) write("(");
  plain_expr(inner);
  if (parentheses) write(")");
}

// A chain to the left is one line, or goes on in indented ones.
void Formatter::logic(Expr const& expr, bool& indented) {
  auto const is_chain = !expr.left_in_braces && expr.left.size() == 1 && is_logic(*expr.left[0]) &&
                        !operand_needs_parentheses(*expr.left[0], expr.kind, false);
  if (is_chain) {
    logic(*expr.left[0], indented);
  } else {
    auto const leads = std::exchange(union_leads_, false);
    auto const parentheses =
        !expr.left_in_braces && operand_needs_parentheses(*expr.left[0], expr.kind, false);
    union_leads_ = leads && !parentheses;
    operand(expr.left, expr.left_in_braces, parentheses);
  }
  write(expr.kind == ExprKind::And ? " and" : " or");
  auto const left_end =
      expr.left_in_braces ? row_of(close_of_body(expr.left)) : end_row(expr.left.back()->at);
  if (!expr.right_in_braces && expr.right[0]->at.row > left_end) {
    if (!indented) ++level_;
    indented = true;
    trailing_comment(left_end, expr.right[0]->at.offset);
    new_line();
    leading_comments(expr.right[0]->at.offset, 0);
    start_line();
  } else {
    write(" ");
  }
  operand(expr.right, expr.right_in_braces,
          !expr.right_in_braces && operand_needs_parentheses(*expr.right[0], expr.kind, true));
}

void Formatter::operand(Body const& inner, bool in_braces, bool needs_parentheses) {
  if (in_braces) {
    auto const before = source_.substr(0, inner[0]->at.offset);
    auto const open = before.rfind('{');
    write("{");
    union_leads_ = true;
    body_in_brackets(inner, row_of(open), close_of_body(inner));
    if (!out_.ends_with('\t') && !out_.ends_with('\n')) write(" ");
    write("}");
    return;
  }
  if (needs_parentheses) write("(");
  plain_expr(*inner[0]);
  if (needs_parentheses) write(")");
}

// On the line of the expression where they were, else indented.
void Formatter::with(Expr const& expr) {
  if (expr.with.empty()) return;
  auto const before = source_.substr(0, expr.with[0].at.offset);
  auto const last = before.find_last_not_of(" \t\r\n");
  auto row = row_of(last == std::string_view::npos ? 0 : last);
  if (has_comment_before(last)) misplaced_ = true;
  auto indented = false;
  for (auto const& one : expr.with) {
    if (one.at.row > row) {
      trailing_comment(row, one.at.offset);
      if (!indented) ++level_;
      indented = true;
      new_line();
      leading_comments(one.at.offset, 0);
      start_line();
    } else {
      write(" ");
    }
    write("with ");
    term(*one.target);
    write(" as ");
    term(*one.value);
    row = end_row(one.at);
  }
  if (indented) --level_;
}

}  // namespace sallyport::rego
