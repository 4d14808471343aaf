// What the lexer makes of the text.
#pragma once

#include "src/rego/diagnostic.hpp"

#include <cstdint>
#include <string_view>

namespace sallyport::rego {

enum class TokenKind : std::uint8_t {
  Illegal,
  End,
  Name,
  Number,
  String,
  RawString,
  // Up to the `{` of an expression, or up to the end. $"…" and $`…`.
  TemplatePart,
  TemplateEnd,
  RawTemplatePart,
  RawTemplateEnd,
  // Keywords, in the order of kKeywords.
  Package,
  Import,
  As,
  Default,
  Else,
  Not,
  Some,
  With,
  Null,
  True,
  False,
  In,
  Every,
  Contains,
  If,
  LogicalAnd,
  LogicalOr,
  // Punctuation.
  LeftBracket,
  RightBracket,
  LeftBrace,
  RightBrace,
  LeftParen,
  RightParen,
  Comma,
  Colon,
  Semicolon,
  Dot,
  // Operators.
  Plus,
  Minus,
  Multiply,
  Divide,
  Remainder,
  Ampersand,
  Bar,
  Unify,
  Assign,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
};

// As OPA's messages call it: "[", "identifier", "assign", "eof".
std::string_view name_of(TokenKind kind) noexcept;

constexpr bool is_keyword(TokenKind kind) noexcept {
  return kind >= TokenKind::Package && kind <= TokenKind::LogicalOr;
}

struct Token {
  TokenKind kind{TokenKind::End};
  bool space_before{false};  // white space or a comment
  bool new_line_before{false};
  std::uint32_t offset{0};
  std::uint32_t row{1};
  std::uint32_t column{1};
  std::string_view text;  // all of it, with its quotes

  std::uint32_t end() const noexcept { return offset + static_cast<std::uint32_t>(text.size()); }
};

}  // namespace sallyport::rego
