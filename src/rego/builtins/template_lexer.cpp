#include "src/rego/builtins/template_lexer.hpp"

#include "src/rego/builtins/quote.hpp"
#include "src/rego/builtins/runes.hpp"

#include <algorithm>
#include <charconv>
#include <unicode/uchar.h>

namespace sallyport::rego::builtins {
namespace {

using Kind = TemplateToken::Kind;

constexpr auto kNone = std::string_view::npos;
constexpr std::string_view kSpaces = " \t\r\n";

bool is_space(char c) noexcept {
  return kSpaces.find(c) != kNone;
}

bool is_name_rune(Rune const& rune) noexcept {
  auto const code = static_cast<UChar32>(rune.code);
  return rune.width != 0 && !rune.is_malformed() &&
         (code == '_' || u_isalpha(code) || u_isdigit(code));
}

std::size_t name_size(std::string_view text) noexcept {
  std::size_t size = 0;
  for (auto rune = first_rune(text); is_name_rune(rune); rune = first_rune(text.substr(size))) {
    size += rune.width;
  }
  return size;
}

// An escape of a Go string, behind its backslash. Empty where there is none such.
std::optional<std::string> take_escape(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  char const c = text.front();
  text.remove_prefix(1);
  constexpr std::string_view kNames = "abfnrtv\\'\"";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
  if (auto const at = kNames.find(c); at != kNone) return std::string{kMeanings[at]};
  std::size_t const digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  std::uint32_t code = 0;
  if (digits != 0 && text.size() >= digits) {
    auto const* const end = text.data() + digits;
    if (std::from_chars(text.data(), end, code, 16).ptr != end) return std::nullopt;
    text.remove_prefix(digits);
    return digits == 2 ? std::string{static_cast<char>(code)} : std::string{encode(code).view()};
  }
  return std::nullopt;
}

class Lexer {
 public:
  Lexer(std::string_view text, std::string& error) : left_{text}, error_{error} {}

  bool run(std::vector<TemplateToken>& tokens) {
    tokens_ = &tokens;
    while (!left_.empty()) {
      auto const open = left_.find("{{");
      auto text = left_.substr(0, open);
      auto const rest = open == kNone ? std::string_view{} : left_.substr(open + 2);
      auto const trims = rest.size() > 1 && rest[0] == '-' && is_space(rest[1]);
      auto const passed = text;
      if (trims) {
        auto const last = text.find_last_not_of(kSpaces);
        text = last == kNone ? std::string_view{} : text.substr(0, last + 1);
      }
      if (!text.empty()) add(Kind::Text, text);
      count_lines(passed);
      if (open == kNone) break;
      left_ = rest.substr(trims ? 1 : 0);
      if (!read_action()) return false;
    }
    add(Kind::End, "");
    return true;
  }

 private:
  void add(Kind kind, std::string_view text) {
    tokens_->push_back({kind, std::string{text}, line_});
  }

  bool fail(std::string_view why) {
    error_ = "template: template:" + std::to_string(line_) + ": " + std::string{why};
    return false;
  }

  void count_lines(std::string_view text) {
    line_ += static_cast<int>(std::ranges::count(text, '\n'));
  }

  void take(Kind kind, std::size_t size) {
    add(kind, left_.substr(0, size));
    left_.remove_prefix(size);
  }

  bool read_action() {
    if (auto const body = left_.find_first_not_of(kSpaces);
        body != kNone && left_.substr(body).starts_with("/*")) {
      return skip_comment(body);
    }
    add(Kind::Open, "");
    while (!left_.empty()) {
      if (close()) {
        add(Kind::Close, "");
        return true;
      }
      if (!read_token()) return false;
    }
    return fail("unclosed action");
  }

  // "}}", or " -}}", which also takes the space that follows.
  bool close() {
    auto const trims = left_.size() > 3 && is_space(left_[0]) && left_.substr(1).starts_with("-}}");
    if (!trims && !left_.starts_with("}}")) return false;
    left_.remove_prefix(trims ? 4 : 2);
    if (trims) skip_spaces();
    return true;
  }

  void skip_spaces() {
    auto const size = std::min(left_.find_first_not_of(kSpaces), left_.size());
    count_lines(left_.substr(0, size));
    left_.remove_prefix(size);
  }

  bool skip_comment(std::size_t begin) {
    auto const end = left_.find("*/", begin + 2);
    if (end == kNone) return fail("unclosed comment");
    count_lines(left_.substr(0, end));
    left_.remove_prefix(end + 2);
    return close() || fail("comment ends before closing delimiter");
  }

  bool read_token() {
    char const c = left_.front();
    if (is_space(c)) {
      add(Kind::Space, " ");
      // The space before "-}}" belongs to it.
      auto const size = std::min(left_.find_first_not_of(kSpaces), left_.size());
      auto const keep = left_.substr(size).starts_with("-}}") ? 1 : 0;
      count_lines(left_.substr(0, size));
      left_.remove_prefix(size - static_cast<std::size_t>(keep));
      return true;
    }
    if (left_.starts_with(":=")) return take(Kind::Declare, 2), true;
    switch (c) {
      case '=': take(Kind::Assign, 1); return true;
      case '|': take(Kind::Pipe, 1); return true;
      case ',': take(Kind::Comma, 1); return true;
      case '(': take(Kind::OpenParenthesis, 1); return true;
      case ')': take(Kind::CloseParenthesis, 1); return true;
      case '"': return read_string(Kind::String, '"');
      case '\'': return read_string(Kind::Character, '\'');
      case '`': return read_raw_string();
      case '$': take(Kind::Variable, 1 + name_size(left_.substr(1))); return true;
      case '.': return read_dot();
      default: break;
    }
    if (c == '+' || c == '-' || (c >= '0' && c <= '9')) return read_number();
    auto const size = name_size(left_);
    if (size == 0) {
      auto const rune = left_.substr(0, first_rune(left_).width);
      return fail("unexpected " + quoted(rune) + " in operand");
    }
    take(Kind::Identifier, size);
    return true;
  }

  bool read_dot() {
    if (left_.size() > 1 && left_[1] >= '0' && left_[1] <= '9') return read_number();
    auto const size = name_size(left_.substr(1));
    if (size == 0) return take(Kind::Dot, 1), true;
    left_.remove_prefix(1);
    take(Kind::Field, size);
    return true;
  }

  bool read_number() {
    std::size_t size = 1;
    while (size < left_.size()) {
      char const c = left_[size];
      auto const after_exponent =
          (c == '+' || c == '-') && (left_[size - 1] == 'e' || left_[size - 1] == 'E');
      if (!after_exponent && c != '.' && !is_name_rune(first_rune(left_.substr(size)))) break;
      ++size;
    }
    take(Kind::Number, size);
    return true;
  }

  bool read_string(Kind kind, char mark) {
    std::string text;
    left_.remove_prefix(1);
    while (!left_.starts_with(mark)) {
      if (left_.empty() || left_.front() == '\n') {
        return fail(kind == Kind::String ? "unterminated quoted string"
                                         : "unterminated character constant");
      }
      if (left_.front() != '\\') {
        text += left_.front();
        left_.remove_prefix(1);
        continue;
      }
      left_.remove_prefix(1);
      auto const escape = take_escape(left_);
      if (!escape) return fail("invalid syntax");
      text += *escape;
    }
    left_.remove_prefix(1);
    add(kind, text);
    return true;
  }

  bool read_raw_string() {
    auto const end = left_.find('`', 1);
    if (end == kNone) return fail("unterminated raw quoted string");
    add(Kind::String, left_.substr(1, end - 1));
    count_lines(left_.substr(0, end));
    left_.remove_prefix(end + 1);
    return true;
  }

  std::string_view left_;
  std::string& error_;
  std::vector<TemplateToken>* tokens_{nullptr};
  int line_{1};
};

}  // namespace

std::optional<std::vector<TemplateToken>> lex_template(std::string_view text, std::string& error) {
  std::vector<TemplateToken> tokens;
  if (!Lexer{text, error}.run(tokens)) return std::nullopt;
  return tokens;
}

}  // namespace sallyport::rego::builtins
