#include "src/app/rego_tools/eval_output.hpp"

#include "src/app/rego_tools/text.hpp"
#include "src/rego/json.hpp"
#include "src/rego/parser.hpp"
#include "src/rego/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::app::rego_tools {
namespace {

std::string bindings_json(rego::Answer const& answer) {
  auto sorted = answer.bindings;
  std::ranges::sort(sorted, {}, &rego::Binding::name);
  std::string members;
  for (auto const& [name, value] : sorted) {
    members += (members.empty() ? "" : ",") + json_string(name) + ":" + rego::to_json(value);
  }
  return "{" + members + "}";
}

std::string answer_json(rego::Answer const& answer,
                        std::vector<WrittenExpression> const& expressions) {
  std::string list;
  for (std::size_t i = 0; i < answer.expressions.size() && i < expressions.size(); ++i) {
    auto const& [text, at] = expressions[i];
    list += fmt::format(R"({}{{"value":{},"text":{},"location":{{"row":{},"col":{}}}}})",
                        i == 0 ? "" : ",", rego::to_json(answer.expressions[i]), json_string(text),
                        at.row, at.column);
  }
  auto const bindings =
      answer.bindings.empty() ? std::string{} : ",\"bindings\":" + bindings_json(answer);
  return fmt::format("{{\"expressions\":[{}]{}}}", list, bindings);
}

using Row = std::vector<std::string>;

// Characters, not bytes.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(std::string const& text, std::size_t width, std::size_t before) {
  return std::string(before, ' ') + text + std::string(width - width_of(text) - before, ' ');
}

// The first row is the heading.
std::string table(std::vector<Row> const& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (auto const& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string rule = "+";
  for (auto const width : widths) rule += std::string(width + 2, '-') + "+";
  rule += '\n';
  std::string text = rule;
  for (auto const& row : rows) {
    bool const heading = &row == &rows.front();
    for (std::size_t i = 0; i < row.size(); ++i) {
      auto const before = heading ? (widths[i] - width_of(row[i])) / 2 : 0;
      text += "| " + padded(row[i], widths[i], before) + " ";
    }
    text += "|\n";
    if (heading) text += rule;
  }
  return text + rule;
}

// Bindings by name, then the expressions that say more than `true`.
Row cells_of(rego::Answer const& answer, std::vector<std::size_t> const& telling) {
  auto sorted = answer.bindings;
  std::ranges::sort(sorted, {}, &rego::Binding::name);
  Row row;
  for (auto const& binding : sorted) row.push_back(rego::to_json(binding.value));
  for (auto const i : telling) row.push_back(rego::to_json(answer.expressions[i]));
  return row;
}

std::string answers_table(AnswerList const& answers,
                          std::vector<WrittenExpression> const& expressions) {
  auto const& first = answers.front();
  Row heading;
  for (auto const& binding : first.bindings) heading.emplace_back(binding.name);
  std::ranges::sort(heading);
  std::vector<std::size_t> telling;
  for (std::size_t i = 0; i < first.expressions.size() && i < expressions.size(); ++i) {
    if (first.expressions[i].is_true()) continue;
    telling.push_back(i);
    heading.push_back(expressions[i].text);
  }
  if (heading.empty()) return "true\n";
  std::vector<Row> rows{heading};
  for (auto const& answer : answers) rows.push_back(cells_of(answer, telling));
  return table(rows);
}

}  // namespace

std::vector<WrittenExpression> expressions_of(std::string_view query,
                                              rego::CompileOptions const& options) {
  rego::Arena arena;
  rego::Diagnostics errors;
  std::vector<WrittenExpression> expressions;
  for (auto const* expr : rego::parse_query(query, options, arena, errors)) {
    if (expr->kind == rego::ast::ExprKind::Some) continue;
    bool const written = expr->at.length > 0 && expr->at.offset + expr->at.length <= query.size();
    expressions.push_back({written ? std::string{query.substr(expr->at.offset, expr->at.length)}
                                   : rego::to_text(*expr),
                           expr->at});
  }
  return expressions;
}

std::string result_member(AnswerList const& answers,
                          std::vector<WrittenExpression> const& expressions) {
  if (answers.empty()) return {};
  std::string list;
  for (auto const& answer : answers) {
    list += (list.empty() ? "" : ",") + answer_json(answer, expressions);
  }
  return "\"result\":[" + list + "]";
}

std::string pretty_answers(AnswerList const& answers,
                           std::vector<WrittenExpression> const& expressions) {
  if (answers.empty()) return "undefined\n";
  auto const& first = answers.front();
  if (answers.size() == 1 && first.bindings.empty() && first.expressions.size() == 1) {
    return indented(rego::to_json(first.expressions.front())) + "\n";
  }
  return answers_table(answers, expressions);
}

std::string raw_answers(AnswerList const& answers) {
  std::string text;
  for (auto const& answer : answers) {
    bool first = true;
    for (auto const value : answer.expressions) {
      if (!std::exchange(first, false)) text += ' ';
      text += value.is(rego::Kind::String) ? std::string{value.as_string()} : rego::to_json(value);
    }
    text += '\n';
  }
  return text;
}

std::string bindings_of(AnswerList const& answers) {
  std::string text;
  for (auto const& answer : answers) text += indented(bindings_json(answer)) + "\n";
  return text;
}

}  // namespace sallyport::app::rego_tools
