#include "src/content/html/markdown_escape.hpp"

#include "src/content/html/characters.hpp"

#include <array>

namespace sallyport::content::html {
namespace {

constexpr auto npos = std::string_view::npos;

constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  plain.fill(true);
  // 0xC2 begins the no-break space and the soft hyphen, 0xE2 the zero-width space.
  for (auto const c : std::string_view{"\\`*_[]<&~|(: \t\n\r\f\0\xC2\xE2", 20}) {
    plain[static_cast<unsigned char>(c)] = false;
  }
  return plain;
}();

// Letters, digits, and everything beyond ASCII.
bool is_word(char c) noexcept {
  return is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80;
}

bool is_punctuation(char c) noexcept {
  return c > ' ' && c < 0x7F && !is_alphanumeric(c);
}

bool looks_like_reference(std::string_view text) noexcept {
  std::size_t i = 1;
  if (i < text.size() && text[i] == '#') ++i;
  auto const start = i;
  while (i < text.size() && i < start + 32 && is_alphanumeric(text[i])) ++i;
  return i == text.size() || (i > start && text[i] == ';');
}

bool ends_word(std::string_view text, std::size_t at) noexcept {
  return at >= text.size() || is_space(text[at]);
}

}  // namespace

bool is_plain(char c) noexcept {
  return kPlain[static_cast<unsigned char>(c)];
}

bool needs_escape(std::string_view text, std::size_t index, char before,
                  EscapeContext context) noexcept {
  auto const last = index + 1 >= text.size();
  auto const next = last ? '\0' : text[index + 1];
  switch (text[index]) {
    case '`': return true;
    case '*': return !(is_space(before) && is_space(next));
    case '_': return !(is_word(before) && is_word(next)) && !(is_space(before) && is_space(next));
    case '\\': return last || is_punctuation(next);
    case '<': return last || is_letter(next) || next == '/' || next == '!' || next == '?';
    case '&': return looks_like_reference(text.substr(index));
    case '~': return next == '~' || before == '~';
    case '|': return context.in_cell;
    case '[': return context.in_link;
    case ']': return context.in_link || next == '(' || next == '[' || next == ':';
    case '(':
    case ':': return index == 0 && before == ']';
    default: return false;
  }
}

std::size_t line_start_escape(std::string_view text) noexcept {
  if (text.empty()) return npos;
  switch (text.front()) {
    case '>':
    case '[':
    case '|': return 0;
    case '#': {
      auto const end = text.find_first_not_of('#');
      return end == npos || (end <= 6 && is_space(text[end])) ? 0 : npos;
    }
    case '*':
    case '_':
    case '+': return ends_word(text, 1) ? 0 : npos;
    case '-': return ends_word(text, 1) || text[1] == '-' ? 0 : npos;
    case '=': return ends_word(text, 1) || text[1] == '=' ? 0 : npos;
    case ':': return ends_word(text, 1) || text[1] == '-' ? 0 : npos;
    default: break;
  }
  std::size_t digits = 0;
  while (digits < text.size() && digits < 9 && is_digit(text[digits])) ++digits;
  if (digits == 0 || digits == text.size()) return npos;
  auto const ordered = (text[digits] == '.' || text[digits] == ')') && ends_word(text, digits + 1);
  return ordered ? digits : npos;
}

}  // namespace sallyport::content::html
