#include "src/pipeline/robots_pattern.hpp"

#include "src/http/chars.hpp"

#include <algorithm>
#include <cstring>

namespace sallyport::pipeline {
namespace {

bool is_unreserved(unsigned char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

void append_escaped(std::string& out, unsigned char c) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  out += '%';
  out += kHex[c >> 4U];
  out += kHex[c & 15U];
}

// The octet that an escape at `at` stands for; -1 when there is none.
int escaped_at(std::string_view text, std::size_t at) noexcept {
  if (text[at] != '%' || at + 2 >= text.size()) return -1;
  auto const high = http::hex_value(text[at + 1]);
  auto const low = http::hex_value(text[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

// An escape is undone where it changes nothing. In a query that is so for ':' and '/' as well,
// which the RFC's own example writes both ways.
bool is_undone(int octet, bool in_query) noexcept {
  if (octet < 0) return false;
  return is_unreserved(static_cast<unsigned char>(octet)) ||
         (in_query && (octet == ':' || octet == '/'));
}

// `is_wild`: whether the character at that place has a meaning of its own.
template <class IsWild>
std::string normalised(std::string_view text, IsWild is_wild) {
  std::string out;
  out.reserve(text.size());
  bool in_query = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto const c = static_cast<unsigned char>(text[at]);
    auto const octet = escaped_at(text, at);
    if (octet >= 0) {
      if (is_undone(octet, in_query)) {
        out += static_cast<char>(octet);
      } else {
        append_escaped(out, static_cast<unsigned char>(octet));
      }
      at += 2;
      continue;
    }
    in_query |= c == '?';
    bool const special = (c == '*' || c == '$') && !is_wild(at);
    // A lone '%' too: it could become an escape by what is undone behind it.
    if (c <= ' ' || c >= 0x7F || c == '%' || special) {
      append_escaped(out, c);
    } else {
      out += text[at];
    }
  }
  return out;
}

// Where `piece` begins in `text`. SECURITY: memmem, because find() takes quadratic time for what a
// hostile file and a hostile URL can be together.
std::size_t find_linear(std::string_view text, std::string_view piece) noexcept {
  if (piece.empty()) return 0;
  if (text.size() < piece.size()) return std::string_view::npos;
  auto const* const found =
      static_cast<char const*>(::memmem(text.data(), text.size(), piece.data(), piece.size()));
  return found == nullptr ? std::string_view::npos : static_cast<std::size_t>(found - text.data());
}

std::string_view take_piece(std::string_view& pattern) noexcept {
  auto const star = pattern.find('*');
  auto const piece = pattern.substr(0, star);
  pattern.remove_prefix(star == std::string_view::npos ? pattern.size() : star);
  return piece;
}

}  // namespace

std::string robots_target(std::string_view target) {
  return normalised(target, [](std::size_t) { return false; });
}

std::string robots_pattern(std::string_view pattern) {
  return normalised(pattern,
                    [&](std::size_t at) { return pattern[at] == '*' || at + 1 == pattern.size(); });
}

bool robots_match(std::string_view pattern, std::string_view target,
                  std::size_t* searched) noexcept {
  bool const to_the_end = pattern.ends_with('$');
  if (to_the_end) pattern.remove_suffix(1);
  auto const first = take_piece(pattern);
  if (!target.starts_with(first)) return false;
  target.remove_prefix(first.size());
  if (pattern.empty()) return !to_the_end || target.empty();
  while (!pattern.empty()) {
    pattern.remove_prefix(1);  // the star
    auto const piece = take_piece(pattern);
    // The earliest place is as good as any other, but for the last piece before the end.
    if (pattern.empty() && to_the_end) return target.ends_with(piece);
    auto const at = find_linear(target, piece);
    if (searched != nullptr) *searched += std::min(at, target.size());
    if (at == std::string_view::npos) return false;
    target.remove_prefix(at + piece.size());
  }
  return true;
}

}  // namespace sallyport::pipeline
