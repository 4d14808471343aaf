#include "src/rego/crypto/base64.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace sallyport::rego::crypto {
namespace {

int value_of(char c, Base64 alphabet) noexcept {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == (alphabet == Base64::Url ? '-' : '+')) return 62;
  return c == (alphabet == Base64::Url ? '_' : '/') ? 63 : -1;
}

class Decoder {
 public:
  Decoder(std::string_view text, Base64 alphabet) : text_{text}, alphabet_{alphabet} {}

  Decoded run() {
    Decoded decoded;
    decoded.bytes.reserve(text_.size() / 4 * 3);
    while (at_ < text_.size() && !bad_at_ && !has_ended_) quantum(decoded.bytes);
    if (bad_at_) decoded.problem = "illegal base64 data at input byte " + std::to_string(*bad_at_);
    return decoded;
  }

 private:
  static bool is_line_end(char c) noexcept { return c == '\n' || c == '\r'; }

  void skip_line_ends() noexcept {
    while (at_ < text_.size() && is_line_end(text_[at_])) ++at_;
  }

  // Four characters, or the last ones with their padding.
  void quantum(std::string& out) {
    std::uint32_t bits = 0;
    std::size_t count = 0;
    while (count < 4) {
      if (at_ == text_.size()) {
        if (count > 0) bad_at_ = at_ - count;
        return;
      }
      auto const c = text_[at_++];
      if (is_line_end(c)) continue;
      auto const value = value_of(c, alphabet_);
      if (value < 0) {
        if (c != '=' || count < 2) {
          bad_at_ = at_ - 1;
          return;
        }
        padding(count);
        if (bad_at_) return;
        break;
      }
      bits = bits << 6U | static_cast<std::uint32_t>(value);
      ++count;
    }
    bits <<= 6U * static_cast<unsigned>(4 - count);
    std::array<char, 3> const bytes{static_cast<char>(bits >> 16U), static_cast<char>(bits >> 8U),
                                    static_cast<char>(bits)};
    out.append(bytes.data(), count - 1);
  }

  // Behind the first sign of padding.
  void padding(std::size_t count) {
    has_ended_ = true;
    skip_line_ends();
    if (count == 2) {
      if (at_ == text_.size()) {
        bad_at_ = at_;
        return;
      }
      if (text_[at_] != '=') {
        bad_at_ = at_ - 1;
        return;
      }
      ++at_;
      skip_line_ends();
    }
    if (at_ < text_.size()) bad_at_ = at_;
  }

  std::string_view text_;
  Base64 alphabet_;
  std::size_t at_{0};
  std::optional<std::size_t> bad_at_;
  bool has_ended_{false};
};

}  // namespace

Decoded decode_base64(std::string_view text, Base64 alphabet) {
  return Decoder{text, alphabet}.run();
}

// RFC 7515, appendix C.
Decoded decode_base64url(std::string_view text) {
  if (text.ends_with('=') || text.size() % 4 == 0) return decode_base64(text, Base64::Url);
  if (text.size() % 4 == 1) return {.problem = "illegal base64url string: " + std::string{text}};
  std::string padded{text};
  padded.append(4 - text.size() % 4, '=');
  return decode_base64(padded, Base64::Url);
}

Decoded decode_any_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string url{text};
  for (auto& c : url) {
    if (c == '+') c = '-';
    if (c == '/') c = '_';
  }
  return decode_base64url(url);
}

}  // namespace sallyport::rego::crypto
