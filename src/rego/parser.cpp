#include "src/rego/parser.hpp"

#include "src/rego/build.hpp"
#include "src/rego/number.hpp"
#include "src/rego/parser_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sallyport::rego {

using ast::Term;
using ast::TermKind;

namespace {

// How often the parser may read the same text again, looking ahead, on average. Policies that
// people write stay below 2.
constexpr std::size_t kMostPasses = 32;

}  // namespace

Parser::Parser(std::string_view text, std::uint32_t file, CompileOptions const& options,
               Arena& arena, Diagnostics& errors)
    : text_{text},
      file_{file},
      options_{options},
      arena_{arena},
      errors_{errors},
      first_error_{errors.size()},
      lexer_{text},
      tokens_left_{kMostPasses * (text.size() + 16)},
      v1_{options.syntax == Syntax::V1} {
  if (v1_) keywords_.in = keywords_.every = keywords_.contains = keywords_.if_ = true;
  advance();
  last_end_ = 0;
}

Parser::State Parser::save() const {
  return {lexer_, token_, last_end_, comments_.size(), errors_.size(), wildcards_, height_};
}

void Parser::restore(State const& state) {
  if (gave_up_) return;
  lexer_ = state.lexer;
  token_ = state.token;
  last_end_ = state.last_end;
  comments_.resize_down(state.comments);
  errors_.erase(errors_.begin() + static_cast<std::ptrdiff_t>(state.errors), errors_.end());
  wildcards_ = state.wildcards;
  height_ = state.height;
}

void Parser::advance() {
  last_end_ = token_.end();
  if (gave_up_) return;
  if (tokens_left_ == 0) {
    give_up("too ambiguous: the text must be read again too often");
    return;
  }
  --tokens_left_;
  Lexer::Comment comment;
  while (lexer_.next(token_, comment, keywords_)) {
    auto const length = static_cast<std::uint32_t>(comment.text.size() + 1);
    comments_.push_back(arena_, {.text = comment.text,
                                 .at = {.file = file_,
                                        .row = comment.row,
                                        .column = comment.column,
                                        .offset = comment.offset,
                                        .length = length}});
  }
}

void Parser::continue_template(bool raw) {
  if (!gave_up_) lexer_.continue_template(token_, raw);
}

bool Parser::keyword_starts_reference() const {
  return is_keyword(token_.kind) && (lexer_.following() == '.' || lexer_.following() == '[');
}

std::nullptr_t Parser::error(Location at, std::string message, std::string hint) {
  // What follows from giving up says nothing new.
  if (gave_up_) return nullptr;
  errors_.push_back({.code = Code::Parse,
                     .message = std::move(message),
                     .hint = std::move(hint),
                     .file = {},
                     .at = at});
  return nullptr;
}

std::nullptr_t Parser::illegal(std::string_view note) {
  auto const where = location_of(token_);
  if (at(TokenKind::Illegal)) return error(where, std::string{lexer_.problem()});
  auto const* const kind = is_keyword(token_.kind) ? "keyword" : "token";
  auto const* const colon = note.empty() ? "" : ": ";
  return error(where, fmt::format("unexpected {} {}{}{}", name_of(token_.kind), kind, colon, note));
}

// The text is at its end for the parser from here on, and the error stays.
std::nullptr_t Parser::give_up(std::string message) {
  error(location_of(token_), std::move(message));
  gave_up_ = true;
  token_.kind = TokenKind::End;
  return nullptr;
}

Parser::Nested::Nested(Parser& parser) : parser_{parser}, fine_{++parser.depth_ <= kDeepestTerm} {
  if (!fine_) parser.give_up(fmt::format("nested more than {} levels deep", kDeepestTerm));
}

bool Parser::Measured::grow() {
  if (++parser_.height_ <= kDeepestTerm) return true;
  parser_.give_up(fmt::format("an expression of more than {} levels", kDeepestTerm));
  return false;
}

Location Parser::location_of(Token const& token) const {
  return {.file = file_,
          .row = token.row,
          .column = token.column,
          .offset = token.offset,
          .length = static_cast<std::uint32_t>(token.text.size())};
}

Location Parser::from(Token const& first) const {
  auto where = location_of(first);
  where.length = std::max(last_end_, first.offset) - first.offset;
  return where;
}

Term* Parser::make_term(TermKind kind, Location at) {
  auto* const term = arena_.make<Term>();
  term->kind = kind;
  term->at = at;
  return term;
}

Term* Parser::make_string(std::string_view text, Location at) {
  auto* const term = make_term(TermKind::Constant, at);
  term->value = Value::string(text);
  return term;
}

Term* Parser::make_var(std::string_view name, Location at) {
  auto* const term = make_term(TermKind::Var, at);
  term->name = name;
  return term;
}

Term* Parser::make_true(Location at) {
  auto* const term = make_term(TermKind::Constant, at);
  term->value = Value::boolean(true);
  return term;
}

// An operator; the operands are still to come.
Term* Parser::make_call(std::string_view function, Location operator_at, Location at) {
  auto* const call = make_term(TermKind::Call, at);
  call->infix = true;
  call->items.push_back(arena_, make_var(function, operator_at));
  return call;
}

Term* Parser::fresh_wildcard(Location at) {
  constexpr std::array<std::string_view, 10> kFirst{"$0", "$1", "$2", "$3", "$4",
                                                    "$5", "$6", "$7", "$8", "$9"};
  auto const number = static_cast<std::size_t>(wildcards_++);
  return make_var(number < kFirst.size() ? kFirst[number] : arena_.copy(fmt::format("${}", number)),
                  at);
}

Term* Parser::var_of_token() {
  auto const where = location_of(token_);
  return token_.text == "_" ? fresh_wildcard(where) : make_var(token_.text, where);
}

ast::Expr* Parser::make_expr(ast::ExprKind kind) {
  auto* const expr = arena_.make<ast::Expr>();
  expr->kind = kind;
  return expr;
}

namespace {

// A copy in the arena that the lexer can trust. With an error: not.
std::string_view checked_copy(std::string_view text, Arena& arena, Diagnostics& errors,
                              std::uint32_t file) {
  auto const fail = [&](std::string message, Location at) {
    errors.push_back(
        {.code = Code::Parse, .message = std::move(message), .hint = {}, .file = {}, .at = at});
    return std::string_view{};
  };
  if (text.size() > kLongestSource) {
    return fail(fmt::format("longer than {} bytes", kLongestSource), {.file = file});
  }
  auto const illegal = find_illegal_byte(text);
  if (illegal.offset == std::string_view::npos) return arena.copy(text);
  auto const before = text.substr(0, illegal.offset);
  auto const line = before.rfind('\n');
  auto const row = std::ranges::count(before, '\n') + 1;
  auto const column = illegal.offset - (line == std::string_view::npos ? 0 : line + 1) + 1;
  return fail(std::string{illegal.problem}, {.file = file,
                                             .row = static_cast<std::uint32_t>(row),
                                             .column = static_cast<std::uint32_t>(column),
                                             .offset = static_cast<std::uint32_t>(before.size()),
                                             .length = 1});
}

// Undefined where the term holds more than values.
Value ground_value(Term const& term, Arena& arena) {
  switch (term.kind) {
    case TermKind::Constant: return term.value;
    case TermKind::Array: {
      ArrayBuilder items{arena, term.items.size()};
      for (auto const* item : term.items) {
        auto const value = ground_value(*item, arena);
        if (!value.is_defined()) return {};
        items.add(value);
      }
      return items.finish();
    }
    case TermKind::Set: {
      SetBuilder items{arena, term.items.size()};
      for (auto const* item : term.items) {
        auto const value = ground_value(*item, arena);
        if (!value.is_defined()) return {};
        items.add(value);
      }
      return items.finish();
    }
    case TermKind::Object: {
      ObjectBuilder entries{arena, term.items.size() / 2};
      for (std::size_t i = 0; i + 1 < term.items.size(); i += 2) {
        auto const key = ground_value(*term.items[i], arena);
        auto const value = ground_value(*term.items[i + 1], arena);
        if (!key.is_defined() || !value.is_defined()) return {};
        entries.add(key, value);
      }
      return entries.finish();
    }
    case TermKind::Var:
    case TermKind::Ref:
    case TermKind::Call:
    case TermKind::ArrayOf:
    case TermKind::SetOf:
    case TermKind::ObjectOf:
    case TermKind::Template: return {};
  }
  return {};
}

}  // namespace

ast::Module* parse_module(std::string_view text, std::uint32_t file, CompileOptions const& options,
                          Arena& arena, Diagnostics& errors) {
  auto const before = errors.size();
  auto const copy = checked_copy(text, arena, errors, file);
  if (errors.size() != before) return nullptr;
  return Parser{copy, file, options, arena, errors}.module();
}

ast::Body parse_query(std::string_view text, CompileOptions const& options, Arena& arena,
                      Diagnostics& errors) {
  auto const before = errors.size();
  auto const copy = checked_copy(text, arena, errors, 0);
  if (errors.size() != before) return {};
  return Parser{copy, 0, options, arena, errors}.query();
}

Value parse_ground_term(std::string_view text, Arena& arena, Diagnostics& errors) {
  auto const before = errors.size();
  auto const body = parse_query(text, {}, arena, errors);
  if (errors.size() != before) return {};
  auto const is_term = body.size() == 1 && body[0]->kind == ast::ExprKind::Term &&
                       !body[0]->negated && body[0]->with.empty();
  auto const value = is_term ? ground_value(*body[0]->term, arena) : Value{};
  if (!value.is_defined()) {
    errors.push_back({.code = Code::Parse,
                      .message = "expected one term without variables",
                      .hint = {},
                      .file = {},
                      .at = body[0]->at});
  }
  return value;
}

}  // namespace sallyport::rego
