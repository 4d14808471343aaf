// The recursive descent behind parser.hpp. One object parses one text.
//
// A function that cannot parse what it is for has recorded an error and returns null (or an empty
// body). Looking ahead is save() and restore(), which forgets errors and comments as well; the
// parser is bounded in how deep it nests and in how much it reads again.
#pragma once

#include "src/rego/lexer.hpp"
#include "src/rego/parser.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::rego {

class Parser {
 public:
  Parser(std::string_view text, std::uint32_t file, CompileOptions const& options, Arena& arena,
         Diagnostics& errors);

  ast::Module* module();
  ast::Body query();

 private:
  // parser.cpp: tokens, errors, nodes.
  struct State {
    Lexer lexer;
    Token token;
    std::uint32_t last_end;
    std::size_t comments;
    std::size_t errors;
    int wildcards;
    int height;
  };
  State save() const;
  void restore(State const& state);
  void advance();
  void continue_template(bool raw);
  bool at(TokenKind kind) const { return token_.kind == kind; }
  bool failed() const { return errors_.size() > first_error_; }
  // `.` or `[` right behind a keyword: it is the name that a reference starts with.
  bool keyword_starts_reference() const;

  std::nullptr_t error(Location at, std::string message, std::string hint = {});
  std::nullptr_t illegal(std::string_view note = {});
  std::nullptr_t give_up(std::string message);

  Location location_of(Token const& token) const;
  Location from(Token const& first) const;  // up to the end of the token before the current one
  ast::Term* make_term(ast::TermKind kind, Location at);
  ast::Term* make_string(std::string_view text, Location at);
  ast::Term* make_var(std::string_view name, Location at);
  ast::Term* make_true(Location at);
  ast::Term* make_call(std::string_view function, Location operator_at, Location at);
  ast::Term* var_of_token();
  ast::Term* fresh_wildcard(Location at);
  ast::Term* copy(ast::Term const* term);
  ast::Expr* copy(ast::Expr const* expr);
  ast::Expr* make_expr(ast::ExprKind kind);

  // Counts how deep the parser is in itself.
  class Nested {
   public:
    explicit Nested(Parser& parser);
    ~Nested() { --parser_.depth_; }
    Nested(Nested const&) = delete;
    Nested& operator=(Nested const&) = delete;
    explicit operator bool() const { return fine_; }

   private:
    Parser& parser_;
    bool fine_;
  };
  // Measures how high a tree becomes: `a + b + c …` nests without recursion here, but not in what
  // walks the tree later.
  class Measured {
   public:
    // `new_tree` is false where a tree that is measured already goes on.
    Measured(Parser& parser, bool new_tree) : parser_{parser}, outer_{parser.height_} {
      if (new_tree) parser.height_ = 0;
    }
    ~Measured() { parser_.height_ = std::max(outer_, parser_.height_); }
    Measured(Measured const&) = delete;
    Measured& operator=(Measured const&) = delete;
    bool grow();

   private:
    Parser& parser_;
    int outer_;
  };

  // parser_module.cpp
  bool statement(ast::Module& module);
  bool package_statement(ast::Module& module);
  bool import_statement(ast::Module& module);
  bool check_import(ast::Import const& import);
  bool future_import(ast::Import const& import);
  void enable(std::string_view keyword);
  bool is_future_keyword(std::string_view word) const;
  void skip_statement(State const& start);

  // parser_rules.cpp, parser_bodies.cpp
  bool rule_statement(ast::Module& module);
  bool expression_statement(ast::Module& module);
  bool head(ast::Rule& rule);
  bool head_value(ast::Rule& rule);
  bool default_rule(ast::Module& module, ast::Rule* rule);
  bool value_of_default(ast::Rule const& rule, ast::Term const* term);
  bool parameters_of_default(ast::Rule const& rule);
  bool rule_without_body(ast::Module& module, ast::Rule* rule);
  bool brackets_to_key(ast::Rule& rule);
  bool check_rule(ast::Rule const& rule, bool body_given);
  ast::Body body_after_if();
  ast::Body body_in_braces();
  bool braces_are_a_term(ast::Body const& body) const;
  ast::Rule* else_rule(ast::Rule const& first);
  bool more_bodies(ast::Module& module, ast::Rule const& first);
  void copy_head(ast::Rule const& from, ast::Rule& to);

  // parser_literals.cpp
  ast::Body body_until(TokenKind end);
  ast::Expr* literal();
  ast::Expr* literal_expression(bool negated, Token const& start);
  ast::Expr* some();
  ast::Expr* some_names(ast::Expr* expr);
  ast::Expr* every();
  ast::Expr* expression();
  bool with_modifiers(ast::List<ast::With>& with);
  ast::Expr* negate(ast::Expr* inner, Token const& start);
  ast::Expr* finished(ast::Expr* expr, Token const& start) const;

  // parser_logic.cpp: `and`, `or` and `not { … }`
  struct Operand {
    ast::Body body;  // empty: there is none
    bool in_braces{false};
    Token start;
  };
  struct Group {
    bool is_group{false};  // else nothing was read
    Operand operand;       // may have failed
  };
  bool logic_enabled() const { return keywords_.logical_and || keywords_.logical_or; }
  bool at_logic() const { return at(TokenKind::LogicalAnd) || at(TokenKind::LogicalOr); }
  ast::Expr* not_body(Token const& start);
  std::optional<ast::Expr*> logic_literal();
  ast::Expr* or_chain(Operand left);
  ast::Expr* and_chain(Operand left);
  ast::Expr* logic_tail(Operand left);
  Operand operand();
  Operand braces_operand();
  Group group(bool is_operand);
  Group single_group(Operand inner, Token const& open, State const& before, bool is_operand);
  Group close_group(Operand inner, Token const& open);
  ast::Expr* with_of(ast::Expr* expr);
  bool is_ambiguous_union(ast::Body const& body) const;

  // parser_terms.cpp, parser_strings.cpp
  ast::Term* infix(bool pairs = true);
  ast::Term* membership(ast::Term* left, bool pairs);
  ast::Term* membership_of_pair(ast::Term* left);
  ast::Term* binary(ast::Term* left, int lowest);
  ast::Term* term();
  ast::Term* primary();
  ast::Term* number();
  ast::Term* minus();
  ast::Term* in_parentheses();
  ast::Term* reference(ast::Term* head, Token const& start);
  bool reference_part(ast::Terms& parts);
  ast::Term* call(ast::Terms const& parts, Token const& start);
  ast::Term* string();
  ast::Term* template_string();
  ast::Term* template_expression();

  // parser_collections.cpp
  ast::Term* array();
  ast::Term* set_or_object();
  // What `|` behind the first term of a collection made of it.
  struct Comprehension {
    bool is_operator{false};  // none: nothing was read
    ast::Term* term{nullptr};
  };
  Comprehension comprehension(ast::TermKind kind, ast::Term* first, ast::Term* second,
                              Token const& start);
  ast::Term* object(ast::Term* key, bool may_be_comprehension, Token const& start);
  bool list(ast::Terms& items, TokenKind end);
  bool pairs(ast::Terms& items);

  std::string_view text_;
  std::uint32_t file_;
  CompileOptions const& options_;
  Arena& arena_;
  Diagnostics& errors_;
  std::size_t first_error_;
  Lexer lexer_;
  Token token_;
  Keywords keywords_;
  ast::List<ast::Comment> comments_;
  std::uint32_t last_end_{0};
  int wildcards_{0};
  int depth_{0};
  int height_{0};
  std::size_t tokens_left_;
  bool gave_up_{false};
  bool v1_;
  bool not_bodies_{false};
};

}  // namespace sallyport::rego
