// Base64 as Go's encoding/base64 reads it: line breaks are skipped, and bits that are left over
// need not be zero. base/base64.hpp is stricter.
#include "src/rego/builtins/encoding_impl.hpp"
#include "src/rego/builtins/operands.hpp"

#include <array>
#include <optional>

namespace sallyport::rego::builtins {
namespace {

constexpr std::string_view kStandard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

enum class Padding { Yes, No };

Value encode(BuiltinCall& call, Operands operands, std::string_view alphabet, Padding padding) {
  std::string_view bytes;
  if (!read_string(call, operands, 1, bytes)) return {};
  if (!charge_bytes(call, bytes.size())) return stopped(call);
  TextBuilder text{call, (bytes.size() + 2) / 3 * 4};
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(3, bytes.size()))) {
    std::uint32_t group = 0;
    auto const count = std::min<std::size_t>(3, bytes.size());
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[i]) : 0U);
    }
    for (std::size_t i = 0; i <= count; ++i) text.append(alphabet[group >> (18 - 6 * i) & 0x3F]);
    if (padding == Padding::Yes) text.append(3 - count, '=');
  }
  return text.finish();
}

class Decoder {
 public:
  Decoder(std::string_view text, std::string_view alphabet) : text_{text} {
    values_.fill(-1);
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
      values_[static_cast<unsigned char>(alphabet[i])] = static_cast<signed char>(i);
    }
  }

  // Gives each byte to `out`. The place where the text is wrong; nothing where it is right.
  template <class Out>
  std::optional<std::size_t> run(Out out) {
    while (at_ < text_.size()) {
      std::uint32_t group = 0;
      std::size_t count = 0;
      for (; count < 4; ++count) {
        skip_line_breaks();
        if (at_ == text_.size()) {
          if (count == 0) return std::nullopt;
          return at_ - count;
        }
        auto const value = values_[static_cast<unsigned char>(text_[at_++])];
        if (value < 0) break;
        group |= static_cast<std::uint32_t>(value) << (18 - 6 * count);
      }
      if (count < 4) {
        if (auto const wrong = check_padding(count)) return wrong;
      }
      for (std::size_t i = 0; i + 1 < count; ++i) out(static_cast<char>(group >> (16 - 8 * i)));
      if (count < 4) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  void skip_line_breaks() {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
  }

  // Behind the first byte that is none of the alphabet, with `count` digits before it.
  std::optional<std::size_t> check_padding(std::size_t count) {
    if (text_[at_ - 1] != '=' || count < 2) return at_ - 1;
    if (count == 2) {
      skip_line_breaks();
      if (at_ == text_.size()) return text_.size();
      if (text_[at_] != '=') return at_ - 1;
      ++at_;
    }
    skip_line_breaks();
    if (at_ < text_.size()) return at_;
    return std::nullopt;
  }

  std::string_view text_;
  std::array<signed char, 256> values_{};
  std::size_t at_{0};
};

Value decode(BuiltinCall& call, std::string_view text, std::string_view alphabet) {
  if (!charge_bytes(call, text.size())) return stopped(call);
  TextBuilder bytes{call, text.size() / 4 * 3 + 3};
  auto const wrong = Decoder{text, alphabet}.run([&](char byte) { bytes.append(byte); });
  if (wrong) return call.fail("illegal base64 data at input byte " + std::to_string(*wrong));
  return bytes.finish();
}

}  // namespace

Value base64_encode(BuiltinCall& call, Operands operands) {
  return encode(call, operands, kStandard, Padding::Yes);
}

Value base64url_encode(BuiltinCall& call, Operands operands) {
  return encode(call, operands, kUrl, Padding::Yes);
}

Value base64url_encode_no_pad(BuiltinCall& call, Operands operands) {
  return encode(call, operands, kUrl, Padding::No);
}

Value base64_decode(BuiltinCall& call, Operands operands) {
  std::string_view text;
  if (!read_string(call, operands, 1, text)) return {};
  return decode(call, text, kStandard);
}

Value base64_is_valid(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return Value::boolean(false);
  if (!charge_bytes(call, operands[0].size())) return stopped(call);
  auto const wrong = Decoder{operands[0].as_string(), kStandard}.run([](char) {});
  return Value::boolean(!wrong);
}

// Padding that was left out is added (RFC 7515, appendix C).
Value base64url_decode(BuiltinCall& call, Operands operands) {
  std::string_view text;
  if (!read_string(call, operands, 1, text)) return {};
  auto const missing = text.ends_with('=') ? 0 : (4 - text.size() % 4) % 4;
  if (missing == 3) return call.fail("illegal base64url string: " + std::string{text});
  if (missing == 0) return decode(call, text, kUrl);
  TextBuilder padded{call, text.size() + missing};
  padded.append(text);
  padded.append(missing, '=');
  return padded.is_full() ? padded.finish() : decode(call, padded.view(), kUrl);
}

}  // namespace sallyport::rego::builtins
