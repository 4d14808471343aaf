#include "src/rego/format_core.hpp"

#include <algorithm>

namespace sallyport::rego {

using ast::Rule;
using ast::RuleKind;
using ast::TermKind;

namespace {

bool is_set(ast::Expr const& expr) {
  return expr.kind == ast::ExprKind::Term && !expr.negated && expr.term->kind == TermKind::Set;
}

// `p := true if x` is p if x.
bool value_goes_without_saying(Rule const& rule) {
  auto const& parts = rule.reference->items;
  auto const may_be_object =
      parts.size() == 2 && (!rule.module->v1 || parts[1]->kind != TermKind::Constant);
  return !rule.is_default && !rule.body.empty() && !may_be_object && rule.value_given &&
         rule.value->kind == TermKind::Constant && rule.value->value.is_true();
}

}  // namespace

// v0: `p[x] { … }` rather than `p contains x { … }`.
bool Formatter::key_in_brackets(Rule const& rule) const {
  if (module_.v1) return false;
  auto const before = source_.substr(0, rule.key->at.offset);
  auto const last = before.find_last_not_of(" \t\r\n(");
  return last != std::string_view::npos && (before[last] == '[' || before[last] == '.');
}

// Whether the body was written in braces.
bool Formatter::has_braces(Rule const& rule) const {
  return !rule.body.empty() && end_of(rule.at) > end_of(rule.body.back()->at) &&
         source_[end_of(rule.at) - 1] == '}';
}

// `p := 1 if true` is p := 1.
bool Formatter::always_holds(Rule const& rule) const {
  if (rule.body.size() != 1 || rule.otherwise != nullptr) return false;
  auto const& only = *rule.body[0];
  return only.kind == ast::ExprKind::Term && !only.negated && only.with.empty() &&
         only.term->kind == TermKind::Constant && only.term->value.is_true() &&
         !has_comment_between(rule.at.offset, end_of(rule.at));
}

// Whether its body goes on the line of its head.
bool Formatter::is_one_line(Rule const& rule) const {
  if (rule.body.empty() || always_holds(rule)) return true;
  if (!rule.has_if || rule.body.size() != 1 || is_set(*rule.body[0])) return false;
  if (has_comment_between(end_of(rule.body[0]->at), end_of(rule.at))) return false;
  auto const head_row = rule.head_end == 0 ? rule.at.row : row_of(rule.head_end - 1);
  return head_row == rule.body[0]->at.row;
}

void Formatter::rules(std::span<Rule* const> rules) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    auto const& current = *rules[i];
    leading_comments(current.at.offset, 0);
    start_line();
    rule(current, false);
    auto const groupable = [&](Rule const& one) {
      return groups_lines_ && is_one_line(one) && !one.is_default && one.otherwise == nullptr;
    };
    auto const* const next = i + 1 < rules.size() ? rules[i + 1] : nullptr;
    if (next != nullptr && groupable(current) && groupable(*next) &&
        end_row(current.at) == current.at.row && next->at.row == current.at.row + 1) {
      new_line();
    } else {
      blank_line();
    }
  }
}

void Formatter::rule(Rule const& rule, bool is_else) {
  auto const before = mark();
  misplaced_ = false;
  head(rule, is_else);
  if (misplaced_ || has_comment_before(rule.head_end)) {
    roll_back(before);
    as_it_was(
        {.row = rule.at.row, .offset = rule.at.offset, .length = rule.head_end - rule.at.offset});
  }
  misplaced_ = false;
  auto const end = end_of(rule.at);
  auto const limit = rule.otherwise == nullptr ? source_.size() : rule.otherwise->at.offset;
  if (rule.body.empty() || always_holds(rule)) {
    trailing_comment(row_of(end - 1), source_.size());
    return;
  }
  write(rule.has_if ? " if" : "");
  if (is_one_line(rule) && !has_comment_before(rule.body[0]->at.offset)) {
    write(" ");
    expr(*rule.body[0]);
    trailing_comment(row_of(end - 1), limit);
    else_rules(rule);
    return;
  }
  write(" {");
  trailing_comment(row_of(rule.head_end == 0 ? rule.at.offset : rule.head_end - 1),
                   rule.body[0]->at.offset);
  ++level_;
  union_leads_ = rule.has_if && !is_else;
  body(rule.body);
  auto const close = has_braces(rule) ? end - 1 : end;
  leading_comments(close, 0);
  --level_;
  start_line();
  write("}");
  trailing_comment(row_of(end - 1), limit);
  else_rules(rule);
}

void Formatter::else_rules(Rule const& rule) {
  if (rule.otherwise == nullptr) return;
  auto const& next = *rule.otherwise;
  auto const was_inline =
      out_.ends_with('}') && row_of(end_of(rule.at) - 1) == next.at.row && has_braces(rule);
  if (was_inline && !has_comment_before(next.at.offset)) {
    write(" ");
  } else {
    blank_line();
    leading_comments(next.at.offset, 0);
    start_line();
  }
  this->rule(next, true);
}

void Formatter::head(Rule const& rule, bool is_else) {
  if (rule.is_default) write("default ");
  if (is_else) {
    write("else");
  } else {
    auto const& parts = rule.reference->items;
    if (parts.size() == 2 && !has_long_heads_) {
      term(*parts[0]);
      write("[");
      term(*parts[1]);
      write("]");
    } else {
      reference(*rule.reference);
    }
    if (!rule.parameters.empty()) {
      auto const last = end_of(rule.parameters.back()->at);
      auto const close = rule.value_given ? last : std::max<std::size_t>(last, rule.head_end);
      write("(");
      list({rule.parameters.begin(), rule.parameters.end()}, end_of(rule.reference->at), close,
           false);
      write(")");
    }
  }
  if (rule.kind == RuleKind::Contains && !is_else) {
    auto const brackets = key_in_brackets(rule);
    write(brackets ? "[" : " contains ");
    term(*rule.key);
    write(brackets ? "]" : "");
  }
  auto const stands_for_body =
      !rule.value_given && rule.kind == RuleKind::Value && always_holds(rule);
  if (!rule.value_given && !stands_for_body) return;
  if (value_goes_without_saying(rule) && !always_holds(rule)) return;
  write(rule.has_assign || module_.v1 ? " := " : " = ");
  if (stands_for_body) {
    write("true");
  } else {
    term(*rule.value);
  }
}

}  // namespace sallyport::rego
