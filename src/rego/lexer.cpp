#include "src/rego/lexer.hpp"

#include "src/url/utf8.hpp"

#include <array>

namespace sallyport::rego {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_enabled(TokenKind kind, Keywords const& keywords) {
  switch (static_cast<int>(kind)) {
    case static_cast<int>(TokenKind::In): return keywords.in;
    case static_cast<int>(TokenKind::Every): return keywords.every;
    case static_cast<int>(TokenKind::Contains): return keywords.contains;
    case static_cast<int>(TokenKind::If): return keywords.if_;
    case static_cast<int>(TokenKind::LogicalAnd): return keywords.logical_and;
    case static_cast<int>(TokenKind::LogicalOr): return keywords.logical_or;
    default: return true;
  }
}

constexpr std::array<std::string_view, 53> kNames{
    "illegal",
    "eof",
    "identifier",
    "number",
    "string",
    "string",
    "template-string-part",
    "template-string-end",
    "raw-template-string-part",
    "raw-template-string-end",
    "package",
    "import",
    "as",
    "default",
    "else",
    "not",
    "some",
    "with",
    "null",
    "true",
    "false",
    "in",
    "every",
    "contains",
    "if",
    "and",
    "or",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ",",
    ":",
    ";",
    ".",
    "plus",
    "minus",
    "mul",
    "div",
    "rem",
    "and",
    "or",
    "eq",
    "assign",
    "equal",
    "neq",
    "lt",
    "lte",
    "gt",
    "gte",
    "",
};
static_assert(kNames[static_cast<std::size_t>(TokenKind::GreaterEqual)] == "gte");

}  // namespace

std::string_view name_of(TokenKind kind) noexcept {
  return kNames[static_cast<std::size_t>(kind)];
}

TokenKind keyword_of(std::string_view word) noexcept {
  if (word.size() < 2 || word.size() > 8) return TokenKind::Name;
  for (auto kind = static_cast<std::size_t>(TokenKind::Package);
       kind <= static_cast<std::size_t>(TokenKind::LogicalOr); ++kind) {
    if (kNames[kind].front() == word.front() && kNames[kind] == word) {
      return static_cast<TokenKind>(kind);
    }
  }
  return TokenKind::Name;
}

IllegalByte find_illegal_byte(std::string_view text) noexcept {
  std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (at < text.size()) {
    auto const byte = static_cast<unsigned char>(text[at]);
    if (byte == 0) return {at, "illegal null character"};
    if (byte < 0x80) {
      ++at;
      continue;
    }
    auto const begin = at;
    auto const code_point = url::next_code_point(text, at);
    if (code_point == 0xFFFD && text.substr(begin, 3) != "\xEF\xBF\xBD") {
      return {begin, "illegal utf-8 character"};
    }
    if (code_point == 0xFEFF) return {begin, "illegal byte-order mark"};
  }
  return {};
}

Lexer::Lexer(std::string_view text) : text_{text} {
  if (text.starts_with(kByteOrderMark)) position_ = line_start_ = kByteOrderMark.size();
}

void Lexer::skip_space(Token& token) {
  while (position_ < text_.size()) {
    auto const c = text_[position_];
    if (c == '\n') {
      ++row_;
      line_start_ = position_ + 1;
      new_line_ = true;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      break;
    }
    space_ = true;
    ++position_;
  }
  token.offset = static_cast<std::uint32_t>(position_);
  token.row = row_;
  token.column = static_cast<std::uint32_t>(position_ - line_start_ + 1);
}

bool Lexer::next(Token& token, Comment& comment, Keywords const& keywords) {
  skip_space(token);
  if (at(position_) == '#') {
    auto const end = std::min(text_.find('\n', position_), text_.size());
    auto text = text_.substr(position_ + 1, end - position_ - 1);
    while (text.ends_with('\r')) text.remove_suffix(1);
    comment = {text, token.offset, token.row, token.column};
    position_ = end;
    space_ = true;
    return true;
  }
  token.space_before = space_;
  token.new_line_before = new_line_;
  space_ = new_line_ = false;
  read(token, keywords);
  return false;
}

void Lexer::continue_template(Token& token, bool raw) {
  // The `}` of the expression is part of this token, as a quote would be.
  token.kind = read_template(raw);
  token.text = text_.substr(token.offset, position_ - token.offset);
  token.space_before = token.new_line_before = false;
  count_lines(token.offset);
}

void Lexer::read(Token& token, Keywords const& keywords) {
  auto const begin = position_;
  if (begin >= text_.size()) {
    token.kind = TokenKind::End;
    token.text = {};
    return;
  }
  auto const first = text_[begin];
  if (is_letter(first)) {
    while (is_letter(at(position_)) || is_digit(at(position_))) ++position_;
    token.text = text_.substr(begin, position_ - begin);
    token.kind = keyword_of(token.text);
    if (!is_enabled(token.kind, keywords)) token.kind = TokenKind::Name;
    return;
  }
  token.kind = is_digit(first) ? read_number() : read_punctuation(first);
  token.text = text_.substr(begin, position_ - begin);
  if (first == '`' || first == '$') count_lines(begin);
}

void Lexer::count_lines(std::size_t begin) {
  for (auto i = begin; i < position_ && i < text_.size(); ++i) {
    if (text_[i] != '\n') continue;
    ++row_;
    line_start_ = i + 1;
  }
}

TokenKind Lexer::fail(std::string_view problem) {
  problem_ = problem;
  return TokenKind::Illegal;
}

TokenKind Lexer::read_number() {
  auto kind = TokenKind::Number;
  auto const digits = [&](std::string_view what) {
    auto const begin = position_;
    while (is_digit(at(position_))) ++position_;
    if (position_ == begin) kind = fail(what);
  };
  digits("expected digits");
  if (at(position_) == '.') {
    ++position_;
    digits("expected fraction");
  }
  if (at(position_) == 'e' || at(position_) == 'E') {
    ++position_;
    if (at(position_) == '+' || at(position_) == '-') ++position_;
    digits("expected exponent");
  }
  if (is_letter(at(position_))) {
    // All of "0a2b" is one wrong number, not a number and a name.
    kind = fail("illegal number format");
    while (is_letter(at(position_)) || is_digit(at(position_))) ++position_;
  }
  return kind;
}

// Behind the backslash. TokenKind::String where it is fine.
TokenKind Lexer::read_escape(bool in_template) {
  auto const c = at(position_);
  if (c == 'u') {
    for (int i = 1; i <= 4; ++i) {
      if (!is_hex(at(position_ + static_cast<std::size_t>(i)))) {
        return fail("illegal escape sequence");
      }
    }
    position_ += 5;
    return TokenKind::String;
  }
  constexpr std::string_view kPlain = "\\\"/bfnrt";
  if (c == '\0' || (kPlain.find(c) == std::string_view::npos && !(in_template && c == '{'))) {
    return fail("illegal escape sequence");
  }
  ++position_;
  return TokenKind::String;
}

TokenKind Lexer::read_string() {
  auto kind = TokenKind::String;
  while (true) {
    if (position_ >= text_.size() || text_[position_] == '\n') {
      return fail("non-terminated string");
    }
    auto const c = text_[position_++];
    if (c == '"') return kind;
    if (c == '\\' && read_escape(false) == TokenKind::Illegal) kind = TokenKind::Illegal;
  }
}

TokenKind Lexer::read_raw_string() {
  auto const end = text_.find('`', position_);
  position_ = end == std::string_view::npos ? text_.size() : end + 1;
  return end == std::string_view::npos ? fail("non-terminated string") : TokenKind::RawString;
}

TokenKind Lexer::read_template(bool raw) {
  auto kind = raw ? TokenKind::RawTemplatePart : TokenKind::TemplatePart;
  while (true) {
    if (position_ >= text_.size() || (!raw && text_[position_] == '\n')) {
      return fail("non-terminated string");
    }
    auto const c = text_[position_++];
    if (c == (raw ? '`' : '"')) {
      if (kind == TokenKind::Illegal) return kind;
      return raw ? TokenKind::RawTemplateEnd : TokenKind::TemplateEnd;
    }
    if (c == '{') return kind;
    if (c != '\\') continue;
    if (raw) {
      if (at(position_) == '{') ++position_;
    } else if (read_escape(true) == TokenKind::Illegal) {
      kind = TokenKind::Illegal;
    }
  }
}

TokenKind Lexer::read_punctuation(char first) {
  ++position_;
  auto const with_equals = [&](TokenKind yes, TokenKind no) {
    if (at(position_) != '=') return no;
    ++position_;
    return yes;
  };
  switch (first) {
    case '"': return read_string();
    case '`': return read_raw_string();
    case '[': return TokenKind::LeftBracket;
    case ']': return TokenKind::RightBracket;
    case '{': return TokenKind::LeftBrace;
    case '}': return TokenKind::RightBrace;
    case '(': return TokenKind::LeftParen;
    case ')': return TokenKind::RightParen;
    case ',': return TokenKind::Comma;
    case ';': return TokenKind::Semicolon;
    case '.': return TokenKind::Dot;
    case '+': return TokenKind::Plus;
    case '-': return TokenKind::Minus;
    case '*': return TokenKind::Multiply;
    case '/': return TokenKind::Divide;
    case '%': return TokenKind::Remainder;
    case '&': return TokenKind::Ampersand;
    case '|': return TokenKind::Bar;
    case ':': return with_equals(TokenKind::Assign, TokenKind::Colon);
    case '=': return with_equals(TokenKind::Equal, TokenKind::Unify);
    case '<': return with_equals(TokenKind::LessEqual, TokenKind::Less);
    case '>': return with_equals(TokenKind::GreaterEqual, TokenKind::Greater);
    case '!':
      if (at(position_) != '=') return fail("illegal ! character");
      ++position_;
      return TokenKind::NotEqual;
    case '$':
      if (at(position_) != '"' && at(position_) != '`') return fail("illegal $ character");
      ++position_;
      return read_template(text_[position_ - 1] == '`');
    default:
      // The rest of a character that takes several bytes belongs to it.
      while (position_ < text_.size() && (text_[position_] & 0xC0) == 0x80) ++position_;
      return fail("illegal token");
  }
}

}  // namespace sallyport::rego
