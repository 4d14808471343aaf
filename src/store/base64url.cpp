#include "src/store/base64url.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace sallyport::store {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kForeign = 0xFF;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kForeign);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}

constexpr auto kValues = make_values();

}  // namespace

std::string base64url_encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t pending = 0;
  unsigned bits = 0;
  for (char const byte : bytes) {
    pending = (pending << 8U) | static_cast<unsigned char>(byte);
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      text += kAlphabet[(pending >> bits) & 63U];
    }
  }
  if (bits > 0) text += kAlphabet[(pending << (6 - bits)) & 63U];
  return text;
}

std::optional<std::string> base64url_decode(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t pending = 0;
  unsigned bits = 0;
  for (char const c : text) {
    auto const value = kValues[static_cast<unsigned char>(c)];
    if (value == kForeign) return std::nullopt;
    pending = (pending << 6U) | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>((pending >> bits) & 255U);
    }
  }
  // SECURITY: otherwise the last character of a sealed text could be changed unnoticed.
  if ((pending & ((1U << bits) - 1U)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace sallyport::store
