// The writer behind format.hpp.
//
// Lines break where they broke in the source, at the places that allow it: between the elements of
// a collection, between expressions, before `with`. Comments are written as their offset is passed;
// where one is left behind, the part that holds it is written as it was.
#pragma once

#include "src/rego/ast.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego {

class Formatter {
 public:
  Formatter(ast::Module const& module, std::string_view source);
  std::string format();

 private:
  // format.cpp: lines and comments
  struct Checkpoint {
    std::size_t size;
    std::size_t comment;
    int level;
  };
  Checkpoint mark() const { return {out_.size(), next_comment_, level_}; }
  void roll_back(Checkpoint const& mark);
  void write(std::string_view text) { out_ += text; }
  void new_line();  // ends the current line, if anything is on it
  void start_line();
  void blank_line();
  std::uint32_t row_of(std::size_t offset) const;
  static std::size_t end_of(Location const& at) { return std::size_t{at.offset} + at.length; }
  std::uint32_t end_row(Location const& at) const;
  std::string_view text_of(Location const& at) const {
    return source_.substr(at.offset, at.length);
  }
  bool has_comment_before(std::size_t offset) const;  // that is not written yet
  bool has_comment_between(std::size_t begin, std::size_t end) const;
  // The text of the source, with the comments in it.
  void as_it_was(Location const& at);
  // The comment behind what ended on `row`, if it stands before `limit`.
  void trailing_comment(std::uint32_t row, std::size_t limit);
  // Those on lines of their own before `offset`. `row` is that of what was written last.
  void leading_comments(std::size_t offset, std::uint32_t row);
  void package();
  void imports_and_rules();
  void import_group(std::span<ast::Import const> group);
  void path(ast::Term const& reference, std::size_t first);

  // format_rules.cpp
  void rules(std::span<ast::Rule* const> rules);
  void rule(ast::Rule const& rule, bool is_else);
  void head(ast::Rule const& rule, bool is_else);
  void else_rules(ast::Rule const& rule);
  bool is_one_line(ast::Rule const& rule) const;
  bool has_braces(ast::Rule const& rule) const;
  bool key_in_brackets(ast::Rule const& rule) const;
  bool always_holds(ast::Rule const& rule) const;

  // format_exprs.cpp
  void body(ast::Body const& body);
  void expr(ast::Expr const& expr);
  void plain_expr(ast::Expr const& expr);
  void top_term(ast::Term const& term);
  void some(ast::Expr const& expr);
  void every(ast::Expr const& expr);
  void negated_body(ast::Expr const& expr);
  void logic(ast::Expr const& expr, bool& indented);
  void operand(ast::Body const& body, bool in_braces, bool needs_parentheses);
  void with(ast::Expr const& expr);
  void body_in_brackets(ast::Body const& body, std::uint32_t row, std::size_t close);
  std::size_t close_of_body(ast::Body const& body) const;

  // format_terms.cpp
  void term(ast::Term const& term, bool in_operator = false);
  void constant(ast::Term const& term);
  void reference(ast::Term const& ref);
  void reference_part(ast::Term const& part);
  void call(ast::Term const& call, bool in_operator);
  void operation(ast::Term const& call, bool nested, bool union_leads = false);
  void element(ast::Term const& term);
  void comprehension(ast::Term const& term);
  // `start`, `close`: the offsets of the brackets. `count` elements, at `place(i)`.
  void elements(std::size_t count, std::size_t start, std::size_t close,
                std::function<Location(std::size_t)> const& place,
                std::function<void(std::size_t)> const& write_one);
  void list(std::span<ast::Term* const> items, std::size_t start, std::size_t close,
            bool is_collection);

  ast::Module const& module_;
  std::string_view source_;
  std::vector<std::size_t> line_starts_;
  std::string out_;
  std::size_t next_comment_{0};
  int level_{0};
  bool groups_lines_{false};    // rules of one line may stand together
  bool has_long_heads_{false};  // with paths: else `p.x := 1` is written p["x"] := 1
  bool misplaced_{false};       // a comment would move out of what is being written
  bool union_leads_{false};     // the next term starts a body, where `a | b` needs parentheses
};

}  // namespace sallyport::rego
