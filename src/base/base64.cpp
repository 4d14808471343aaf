#include "src/base/base64.hpp"

#include <cstddef>
#include <cstdint>

namespace sallyport::base64 {
namespace {

std::string_view digits(Alphabet alphabet) {
  return alphabet == Alphabet::Standard
             ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
             : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
}

int value_of(char c, Alphabet alphabet) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == digits(alphabet)[62]) return 62;
  if (c == digits(alphabet)[63]) return 63;
  return -1;
}

// The text without its padding; nullopt when there is too much or too little of it.
std::optional<std::string_view> without_padding(std::string_view text, Alphabet alphabet) {
  if (alphabet == Alphabet::Url) {
    if (text.size() % 4 == 1) return std::nullopt;
    return text;
  }
  if (text.size() % 4 != 0) return std::nullopt;
  if (text.ends_with("==")) return text.substr(0, text.size() - 2);
  if (text.ends_with('=')) return text.substr(0, text.size() - 1);
  return text;
}

}  // namespace

std::string encode(std::string_view bytes, Alphabet alphabet) {
  auto const table = digits(alphabet);
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (char const byte : bytes) {
    bits = (bits << 8U) | static_cast<unsigned char>(byte);
    for (held += 8; held >= 6;) {
      held -= 6;
      out.push_back(table[(bits >> held) & 63U]);
    }
  }
  if (held > 0) out.push_back(table[(bits << (6 - held)) & 63U]);
  while (alphabet == Alphabet::Standard && out.size() % 4 != 0) out.push_back('=');
  return out;
}

std::optional<std::string> decode(std::string_view text, Alphabet alphabet) {
  auto const body = without_padding(text, alphabet);
  if (!body) return std::nullopt;
  std::string out;
  out.reserve(body->size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (char const c : *body) {
    int const value = value_of(c, alphabet);
    if (value < 0) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out.push_back(static_cast<char>((bits >> held) & 0xFFU));
    }
  }
  // Bits that encode() leaves zero: two texts must not mean the same bytes.
  if ((bits & ((1U << held) - 1U)) != 0) return std::nullopt;
  return out;
}

}  // namespace sallyport::base64
