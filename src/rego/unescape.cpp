#include "src/rego/unescape.hpp"

#include "src/url/utf8.hpp"

#include <charconv>
#include <string>

namespace sallyport::rego {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

std::optional<char32_t> four_digits(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + 4, value, 16);
  if (error != std::errc{} || end != text.data() + 4) return std::nullopt;
  return value;
}

bool is_high_half(char32_t value) {
  return value >= 0xD800 && value < 0xDC00;
}
bool is_low_half(char32_t value) {
  return value >= 0xDC00 && value < 0xE000;
}

// `at` is behind the `u`. Halves of a pair that stand alone become U+FFFD.
std::optional<char32_t> code_point(std::string_view text, std::size_t& at) {
  auto const first = four_digits(text.substr(at));
  if (!first) return std::nullopt;
  at += 4;
  if (is_low_half(*first)) return kReplacement;
  if (!is_high_half(*first)) return first;
  if (text.substr(at, 2) != "\\u") return kReplacement;
  auto const second = four_digits(text.substr(at + 2));
  if (!second || !is_low_half(*second)) return kReplacement;
  at += 6;
  return 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00);
}

char plain_escape(char letter) {
  switch (letter) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case '"':
    case '\\':
    case '/': return letter;
    default: return '\0';
  }
}

std::optional<std::string_view> unescape(std::string_view text, bool braces, Arena& arena) {
  if (text.find('\\') == std::string_view::npos) return text;
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    auto const c = text[at++];
    if (static_cast<unsigned char>(c) < 0x20) return std::nullopt;
    if (c != '\\') {
      out += c;
      continue;
    }
    if (at == text.size()) return std::nullopt;
    auto const letter = text[at++];
    if (letter == 'u') {
      auto const found = code_point(text, at);
      if (!found) return std::nullopt;
      url::append_code_point(out, *found);
    } else if (auto const plain = plain_escape(letter); plain != '\0') {
      out += plain;
    } else if (braces && letter == '{') {
      out += '{';
    } else {
      return std::nullopt;
    }
  }
  return arena.copy(out);
}

}  // namespace

std::optional<std::string_view> unescape(std::string_view text, Arena& arena) {
  return unescape(text, false, arena);
}

std::optional<std::string_view> unescape_template(std::string_view text, bool raw, Arena& arena) {
  if (!raw) return unescape(text, true, arena);
  if (text.find("\\{") == std::string_view::npos) return text;
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at, 2) != "\\{") out += text[at];
  }
  return arena.copy(out);
}

}  // namespace sallyport::rego
