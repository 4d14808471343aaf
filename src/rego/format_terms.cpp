#include "src/rego/format_core.hpp"
#include "src/rego/lexer.hpp"
#include "src/rego/print.hpp"

namespace sallyport::rego {

using ast::Term;
using ast::TermKind;

namespace {

bool is_operation(Term const& term) {
  return term.kind == TermKind::Call && term.infix && !term.raw;
}

bool is_union(Term const& term) {
  return is_operation(term) && term.items[0]->name == "or";
}

int precedence(Term const& call) {
  auto const function = call.items[0]->name;
  if (function.starts_with("internal.member_")) return 0;
  if (function == "or") return 2;
  if (function == "and") return 3;
  if (function == "plus" || function == "minus") return 4;
  if (function == "mul" || function == "div" || function == "rem") return 5;
  return 1;
}

bool needs_parentheses(Term const& operand, Term const& parent, bool is_right) {
  if (!is_operation(operand)) return false;
  if (operand.items[0]->name == "internal.member_3") return true;
  auto const inner = precedence(operand);
  auto const outer = precedence(parent);
  return inner < outer || (inner == outer && is_right) || (inner == 0 && outer == 0);
}

}  // namespace

// `in_operator`: an operator's operand, so that operators in it are put in parentheses.
void Formatter::term(Term const& whole, bool in_operator) {
  switch (whole.kind) {
    case TermKind::Constant: constant(whole); return;
    case TermKind::Var: write(whole.name.starts_with('$') ? "_" : whole.name); return;
    case TermKind::Ref: reference(whole); return;
    case TermKind::Call: call(whole, in_operator); return;
    case TermKind::Template: as_it_was(whole.at); return;
    case TermKind::Array:
    case TermKind::Set: {
      if (whole.kind == TermKind::Set && whole.items.empty()) return write("set()");
      auto const is_array = whole.kind == TermKind::Array;
      write(is_array ? "[" : "{");
      list({whole.items.begin(), whole.items.end()}, whole.at.offset, end_of(whole.at) - 1, true);
      write(is_array ? "]" : "}");
      return;
    }
    case TermKind::Object: {
      write("{");
      elements(
          whole.items.size() / 2, whole.at.offset, end_of(whole.at) - 1,
          [&](std::size_t i) {
            auto place = whole.items[2 * i]->at;
            auto const& value = whole.items[2 * i + 1]->at;
            place.length = static_cast<std::uint32_t>(end_of(value) - place.offset);
            return place;
          },
          [&](std::size_t i) {
            element(*whole.items[2 * i]);
            write(": ");
            element(*whole.items[2 * i + 1]);
          });
      write("}");
      return;
    }
    case TermKind::ArrayOf:
    case TermKind::SetOf:
    case TermKind::ObjectOf: comprehension(whole); return;
  }
}

// As it was written: numbers and strings have many spellings.
void Formatter::constant(Term const& constant) {
  auto const text = text_of(constant.at);
  auto const is_string =
      constant.value.is(Kind::String) && text.size() >= 2 && (text[0] == '"' || text[0] == '`');
  auto const is_number = constant.value.is(Kind::Number) &&
                         text.find_first_not_of("0123456789.eE+-") == std::string_view::npos &&
                         !text.starts_with('.') && !text.starts_with("-.") && !text.empty();
  if (is_string || is_number) {
    write(text);
  } else {
    append_constant(constant.value, out_);
  }
}

void Formatter::reference(Term const& ref) {
  auto const& first = *ref.items[0];
  if (is_operation(first)) {
    write("(");
    call(first, false);
    write(")");
  } else {
    term(first);
  }
  for (std::size_t i = 1; i < ref.items.size(); ++i) reference_part(*ref.items[i]);
}

void Formatter::reference_part(Term const& part) {
  auto const is_string = part.kind == TermKind::Constant && part.value.is(Kind::String);
  if (is_string && is_name(part.value.as_string())) {
    auto const name = part.value.as_string();
    auto const keeps_brackets =
        keyword_of(name) != TokenKind::Name && text_of(part.at).starts_with('"');
    if (!keeps_brackets) {
      write(".");
      write(name);
      return;
    }
  }
  write("[");
  term(part);
  write("]");
}

void Formatter::call(Term const& call, bool in_operator) {
  if (call.raw && call.infix) {
    write("-");
    term(*call.items[2]);
    return;
  }
  if (call.infix) {
    auto const wraps = in_operator || call.items[0]->name == "internal.member_3";
    if (wraps) write("(");
    operation(call, true);
    if (wraps) write(")");
    return;
  }
  term(*call.items[0]);
  write("(");
  list({call.items.begin() + 1, call.items.end()}, end_of(call.items[0]->at), end_of(call.at) - 1,
       false);
  write(")");
}

// An operator between its operands. `nested`: all operators in them get parentheses.
void Formatter::operation(Term const& call, bool nested, bool union_leads) {
  auto const& items = call.items;
  auto const one = [&](Term const& operand, bool is_right) {
    auto const leads = union_leads && !is_right && is_union(operand);
    auto const wraps = is_operation(operand) && (nested || leads || call.items.size() == 4 ||
                                                 needs_parentheses(operand, call, is_right));
    if (!wraps) return term(operand);
    write("(");
    operation(operand, true);
    write(")");
  };
  one(*items[1], false);
  if (items.size() == 4) {
    write(", ");
    one(*items[2], true);
  }
  write(" ");
  write(operator_symbol(items[0]->name));
  write(" ");
  one(*items.back(), true);
}

// Of a collection: a `|` there would make it a comprehension.
void Formatter::element(Term const& item) {
  auto const wraps = is_union(item);
  if (wraps) write("(");
  term(item);
  if (wraps) write(")");
}

void Formatter::list(std::span<Term* const> items, std::size_t start, std::size_t close,
                     bool is_collection) {
  // The operands of a call stay beside its name where they are all on one line.
  auto const joins = !is_collection && !items.empty() && !has_comment_before(close);
  elements(
      items.size(), joins ? items[0]->at.offset : start, close,
      [&](std::size_t i) { return items[i]->at; },
      [&](std::size_t i) {
        if (is_collection) {
          element(*items[i]);
        } else {
          term(*items[i]);
        }
      });
}

// Elements that shared a line share one; where they took several, the brackets stand alone.
void Formatter::elements(std::size_t count, std::size_t start, std::size_t close,
                         std::function<Location(std::size_t)> const& place,
                         std::function<void(std::size_t)> const& write_one) {
  if (count == 0) {
    if (has_comment_before(close)) misplaced_ = true;
    return;
  }
  auto const open_row = row_of(start);
  auto breaks = place(0).row > open_row;
  for (std::size_t i = 1; i < count; ++i) breaks = breaks || place(i).row > place(i - 1).row;
  if (!breaks) {
    for (std::size_t i = 0; i < count; ++i) {
      if (i != 0) write(", ");
      write_one(i);
    }
    return;
  }
  trailing_comment(open_row, place(0).offset);
  ++level_;
  auto row = open_row;
  for (std::size_t i = 0; i < count; ++i) {
    auto const at = place(i);
    auto const starts = i == 0 || at.row > place(i - 1).row;
    if (starts) {
      new_line();
      leading_comments(at.offset, row);
      start_line();
    } else {
      write(" ");
    }
    write_one(i);
    write(",");
    row = end_row(at);
    auto const is_last = i + 1 == count;
    if (is_last || place(i + 1).row > at.row) {
      trailing_comment(row, is_last ? close : place(i + 1).offset);
    }
  }
  leading_comments(close, row);
  --level_;
  start_line();
}

void Formatter::comprehension(Term const& whole) {
  auto const is_array = whole.kind == TermKind::ArrayOf;
  auto const& first = *whole.items[0];
  auto const& last = *whole.items.back();
  write(is_array ? "[" : "{");
  auto const row = whole.at.row;
  if (first.at.row > row) {
    trailing_comment(row, first.at.offset);
    new_line();
    leading_comments(first.at.offset, 0);
    start_line();
  }
  if (whole.kind == TermKind::ObjectOf) {
    element(first);
    write(": ");
  }
  // The grammar wants a term before the bar: operators need parentheses.
  term(last, true);
  write(" |");
  body_in_brackets(whole.body, last.at.row, end_of(whole.at) - 1);
  write(is_array ? "]" : "}");
}

}  // namespace sallyport::rego
