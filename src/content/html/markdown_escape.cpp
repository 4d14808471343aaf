#include "src/content/html/markdown_escape.hpp"

#include "src/content/html/characters.hpp"

namespace sallyport::content::html {
namespace {

constexpr auto kNowhere = std::string_view::npos;

// Letters, digits, and everything beyond ASCII.
bool is_word(char c) noexcept {
  return is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80;
}

bool is_punctuation(char c) noexcept {
  return c > ' ' && c < 0x7F && !is_alphanumeric(c);
}

// What follows an '&'.
bool completes_reference(std::string_view text) noexcept {
  std::size_t i = 0;
  if (i < text.size() && text[i] == '#') ++i;
  auto const start = i;
  while (i < text.size() && i < start + 32 && is_alphanumeric(text[i])) ++i;
  return i > start && i < text.size() && text[i] == ';';
}

bool ends_word(std::string_view text, std::size_t at) noexcept {
  return at >= text.size() || is_space(text[at]);
}

}  // namespace

bool needs_escape(std::string_view text, std::size_t index, char before,
                  EscapeContext context) noexcept {
  auto const last = index + 1 >= text.size();
  auto const next = last ? '\0' : text[index + 1];
  switch (text[index]) {
    case '`': return true;
    case '*': return !(is_space(before) && is_space(next));
    case '_': return !(is_word(before) && is_word(next)) && !(is_space(before) && is_space(next));
    case '\\': return last || is_punctuation(next);
    case '<':
    case '&': return needs_escape_before(text[index], text.substr(index + 1));
    case '~': return next == '~' || before == '~';
    case '|': return context.in_cell;
    case '[': return context.in_link;
    case ']': return context.in_link || next == '(' || next == '[' || next == ':';
    case '(':
    case ':': return index == 0 && before == ']';
    default: return false;
  }
}

bool needs_escape_before(char written, std::string_view next) noexcept {
  if (next.empty()) return false;
  if (written == '&') return completes_reference(next);
  auto const c = next.front();
  return written == '<' && (is_letter(c) || c == '/' || c == '!' || c == '?');
}

std::size_t line_start_escape(std::string_view text) noexcept {
  if (text.empty()) return kNowhere;
  switch (text.front()) {
    case '>':
    case '[':
    case '|': return 0;
    case '#': {
      auto const end = text.find_first_not_of('#');
      return end == kNowhere || (end <= 6 && is_space(text[end])) ? 0 : kNowhere;
    }
    case '*':
    case '_':
    case '+': return ends_word(text, 1) ? 0 : kNowhere;
    case '-': return ends_word(text, 1) || text[1] == '-' ? 0 : kNowhere;
    case '=': return ends_word(text, 1) || text[1] == '=' ? 0 : kNowhere;
    case ':': return ends_word(text, 1) || text[1] == '-' ? 0 : kNowhere;
    default: break;
  }
  std::size_t digits = 0;
  while (digits < text.size() && digits < 9 && is_digit(text[digits])) ++digits;
  if (digits == 0 || digits == text.size()) return kNowhere;
  auto const ordered = (text[digits] == '.' || text[digits] == ')') && ends_word(text, digits + 1);
  return ordered ? digits : kNowhere;
}

}  // namespace sallyport::content::html
