// A module: package, imports, rules; and queries.
#include "src/rego/annotations.hpp"
#include "src/rego/parser_core.hpp"
#include "src/rego/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sallyport::rego {

using ast::Term;
using ast::TermKind;

namespace {

// Of one module; more would tell nothing new.
constexpr std::size_t kMostErrors = 10;

bool is_string(Term const& term) {
  return term.kind == TermKind::Constant && term.value.is(Kind::String);
}

std::string_view root_of(ast::Import const& import) {
  return import.path->items[0]->name;
}

}  // namespace

ast::Module* Parser::module() {
  auto* const module = arena_.make<ast::Module>();
  module->file = file_;
  module->at = {.file = file_, .row = 1, .column = 1, .offset = 0, .length = 0};
  if (at(TokenKind::End)) return error(module->at, "empty module"), nullptr;
  if (!at(TokenKind::Package) || keyword_starts_reference()) {
    return error(location_of(token_), "package expected", "begin the file with `package <name>`"),
           nullptr;
  }
  while (!at(TokenKind::End) && errors_.size() < first_error_ + kMostErrors) {
    auto const start = save();
    auto const errors_before = errors_.size();
    if (statement(*module) && errors_.size() == errors_before) continue;
    skip_statement(start);
  }
  module->comments = comments_;
  module->v1 = v1_;
  if (!failed()) attach_annotations(*module, arena_, errors_);
  return failed() ? nullptr : module;
}

ast::Body Parser::query() {
  ast::Body body;
  if (at(TokenKind::End)) {
    error(location_of(token_), "empty query");
    return {};
  }
  while (!at(TokenKind::End)) {
    auto* const next = literal();
    if (next == nullptr || failed()) return {};
    body.push_back(arena_, next);
    if (at(TokenKind::Semicolon)) advance();
  }
  return failed() ? ast::Body{} : body;
}

bool Parser::statement(ast::Module& module) {
  height_ = 0;  // heads are measured too; each statement is a tree of its own
  if (!keyword_starts_reference()) {
    if (at(TokenKind::Package)) return package_statement(module);
    if (at(TokenKind::Import)) return import_statement(module);
  }
  if (module.package == nullptr && !failed()) {
    error(location_of(token_), "package expected");
    return false;
  }
  return rule_statement(module);
}

// To the begin of the next statement: behind all brackets that are open, on a line of its own.
void Parser::skip_statement(State const& start) {
  if (gave_up_) return;
  Diagnostics const found{errors_.begin() + static_cast<std::ptrdiff_t>(start.errors),
                          errors_.end()};
  auto const reached = token_.offset;
  auto const first = start.token.offset;
  std::optional<State> unbalanced;
  restore(start);
  auto const is_start = [&] {
    return token_.new_line_before && token_.offset > first && token_.offset >= reached &&
           (at(TokenKind::Name) || is_keyword(token_.kind));
  };
  for (int open = 0; !at(TokenKind::End); advance()) {
    if (is_start()) {
      if (open <= 0) break;
      if (!unbalanced && token_.column == 1) unbalanced = save();
    }
    if (at(TokenKind::LeftBrace) || at(TokenKind::LeftBracket) || at(TokenKind::LeftParen)) ++open;
    if (at(TokenKind::RightBrace) || at(TokenKind::RightBracket) || at(TokenKind::RightParen)) {
      --open;
    }
  }
  if (at(TokenKind::End) && unbalanced) restore(*unbalanced);
  errors_.insert(errors_.end(), found.begin(), found.end());
}

bool Parser::package_statement(ast::Module& module) {
  auto const start = token_;
  advance();
  if (is_keyword(token_.kind)) token_.kind = TokenKind::Name;
  if (!at(TokenKind::Name)) return illegal(), false;
  auto const* const path = term();
  if (path == nullptr) return false;
  if (module.package != nullptr) return error(location_of(start), "unexpected package"), false;
  auto* const package = make_term(TermKind::Ref, path->at);
  package->items.push_back(arena_, make_var("data", path->at));
  auto const* const first = path->kind == TermKind::Ref ? path->items[0] : path;
  if (first->kind != TermKind::Var) {
    error(first->at, fmt::format("unexpected {} token: expecting var", kind_name(*first)));
    return false;
  }
  package->items.push_back(arena_, make_string(first->name, first->at));
  for (std::size_t i = 1; i < path->items.size(); ++i) {
    auto* const part = path->items[i];
    if (!is_string(*part)) {
      error(part->at, fmt::format("unexpected {} token: expecting string", kind_name(*part)));
      return false;
    }
    package->items.push_back(arena_, part);
  }
  module.package = package;
  module.at = from(start);
  if (at(TokenKind::Semicolon)) return illegal(), false;
  return true;
}

bool Parser::import_statement(ast::Module& module) {
  auto const start = token_;
  advance();
  if (is_keyword(token_.kind)) token_.kind = TokenKind::Name;
  if (!at(TokenKind::Name)) return illegal(), false;
  ast::Import import;
  import.path = term();
  if (import.path == nullptr) return false;
  if (import.path->kind == TermKind::Var) {
    auto* const path = make_term(TermKind::Ref, import.path->at);
    path->items.push_back(arena_, import.path);
    import.path = path;
  }
  if (import.path->kind != TermKind::Ref || import.path->items[0]->kind != TermKind::Var) {
    return error(import.path->at, "expected path"), false;
  }
  for (std::size_t i = 1; i < import.path->items.size(); ++i) {
    auto const* const part = import.path->items[i];
    if (is_string(*part)) continue;
    error(part->at, fmt::format("unexpected {} token: expecting string", kind_name(*part)));
    return false;
  }
  if (at(TokenKind::As)) {
    advance();
    if (!at(TokenKind::Name)) return illegal("expected var"), false;
    import.alias = token_.text;
    advance();
  }
  import.at = from(start);
  if (!check_import(import)) return false;
  module.imports.push_back(arena_, import);
  return true;
}

bool Parser::check_import(ast::Import const& import) {
  auto const root = root_of(import);
  if (root == "future") return future_import(import);
  if (root == "rego") {
    auto const& path = import.path->items;
    if (path.size() != 2 || path[1]->value.as_string() != "v1") {
      error(import.path->at,
            fmt::format("invalid import `{}`, must be `rego.v1`", to_text(*import.path)));
      return false;
    }
    if (v1_) return true;
    if (!import.alias.empty()) {
      return error(import.path->at, "`rego` imports cannot be aliased"), false;
    }
    keywords_.in = keywords_.every = keywords_.contains = keywords_.if_ = true;
    v1_ = true;
    return true;
  }
  if (root != "data" && root != "input") {
    error(import.path->at,
          fmt::format("unexpected import path, must begin with one of: {{data, future, input, "
                      "rego}}, got: {}",
                      root));
    return false;
  }
  if (!import.alias.empty()) return true;
  auto const& last = *import.path->items.back();
  auto const name = is_string(last) ? last.value.as_string() : std::string_view{};
  auto const kind = keyword_of(name);
  auto const always = kind >= TokenKind::Package && kind <= TokenKind::False;
  if (always || (v1_ && kind >= TokenKind::In && kind <= TokenKind::If)) {
    error(last.at,
          fmt::format("unexpected import path, must not end with a keyword, got: {}", name),
          "import a different path or use an alias");
    return false;
  }
  return true;
}

// What can be imported: all that v0 had to import, `not`, and what the options allow.
bool Parser::is_future_keyword(std::string_view word) const {
  if (word == "in" || word == "every" || word == "contains" || word == "if" || word == "not") {
    return true;
  }
  if (word != "and" && word != "or") return false;
  return std::ranges::any_of(options_.experimental_keywords, [&](std::string_view allowed) {
    return allowed == word || allowed == "logic_operators";
  });
}

void Parser::enable(std::string_view keyword) {
  if (keyword == "in") keywords_.in = true;
  if (keyword == "every") keywords_.every = keywords_.in = true;
  if (keyword == "contains") keywords_.contains = true;
  if (keyword == "if") keywords_.if_ = true;
  if (keyword == "and") keywords_.logical_and = true;
  if (keyword == "or") keywords_.logical_or = true;
  // The token behind the import was read before the keyword counted.
  if (at(TokenKind::Name) && token_.text == keyword) token_.kind = keyword_of(keyword);
}

bool Parser::future_import(ast::Import const& import) {
  auto const& path = import.path->items;
  if (path.size() < 2 || path[1]->value.as_string() != "keywords") {
    return error(import.path->at, "invalid import, must be `future.keywords`"), false;
  }
  if (!import.alias.empty()) {
    return error(import.path->at, "`future` imports cannot be aliased"), false;
  }
  if (path.size() > 3) {
    return error(import.path->at, "invalid import, must be `future.keywords.x`"), false;
  }
  constexpr std::array<std::string_view, 6> kAll{"in", "every", "contains", "if", "and", "or"};
  if (path.size() == 2) {
    for (auto const keyword : kAll) {
      if (is_future_keyword(keyword)) enable(keyword);
    }
    return true;
  }
  auto const keyword = path[2]->value.as_string();
  if (!is_future_keyword(keyword)) {
    error(import.path->at,
          fmt::format("unexpected keyword {}, must be one of [contains every if in not]", keyword));
    return false;
  }
  if (keyword == "not") not_bodies_ = true;
  enable(keyword);
  return true;
}

}  // namespace sallyport::rego
