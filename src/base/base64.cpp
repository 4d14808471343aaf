#include "src/base/base64.hpp"

#include "src/base/base64_blocks.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sallyport::base64 {
namespace {

std::string_view digits(Alphabet alphabet) {
  return alphabet == Alphabet::Standard
             ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
             : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
}

LastDigits last_digits(Alphabet alphabet) {
  return {digits(alphabet)[62], digits(alphabet)[63]};
}

// Two digits for each 12 bits, as they stand in memory: bodies of megabytes go through here where
// there are no vector instructions.
using DigitPairs = std::array<std::array<char, 2>, 4096>;

DigitPairs make_digit_pairs(Alphabet alphabet) {
  auto const table = digits(alphabet);
  DigitPairs pairs{};
  for (std::size_t bits = 0; bits < pairs.size(); ++bits) {
    pairs[bits] = {table[bits >> 6U], table[bits & 63U]};
  }
  return pairs;
}

DigitPairs const& digit_pairs(Alphabet alphabet) {
  static DigitPairs const kStandard = make_digit_pairs(Alphabet::Standard);
  static DigitPairs const kUrl = make_digit_pairs(Alphabet::Url);
  return alphabet == Alphabet::Standard ? kStandard : kUrl;
}

// The value of each character; kNoDigit where it is none.
using Values = std::array<std::uint8_t, 256>;
constexpr std::uint8_t kNoDigit = 0xFF;

Values make_values(Alphabet alphabet) {
  auto const table = digits(alphabet);
  Values values{};
  values.fill(kNoDigit);
  for (std::uint8_t value = 0; value < table.size(); ++value) {
    values[static_cast<unsigned char>(table[value])] = value;
  }
  return values;
}

Values const& values_of(Alphabet alphabet) {
  static Values const kStandard = make_values(Alphabet::Standard);
  static Values const kUrl = make_values(Alphabet::Url);
  return alphabet == Alphabet::Standard ? kStandard : kUrl;
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

void append(std::string& out, std::string_view bytes, Alphabet alphabet) {
  auto const table = digits(alphabet);
  auto const& pairs = digit_pairs(alphabet);
  auto const from = out.size();
  auto const whole = bytes.size() / 3;
  // Written over at once; what the last group does not need is cut off again.
  out.resize(from + (whole + 1) * 4);
  char* to = out.data() + from;
  auto at = encode_blocks(bytes, to, last_digits(alphabet));
  to += at / 3 * 4;
  auto const byte = [&](std::size_t offset) -> std::uint32_t {
    return static_cast<unsigned char>(bytes[at + offset]);
  };
  for (auto group = at / 3; group < whole; ++group, at += 3, to += 4) {
    auto const bits = (byte(0) << 16U) | (byte(1) << 8U) | byte(2);
    std::memcpy(to, &pairs[bits >> 12U], 2);
    std::memcpy(to + 2, &pairs[bits & 0xFFFU], 2);
  }
  auto const left = bytes.size() - at;
  if (left > 0) {
    auto const bits = (byte(0) << 16U) | (left == 2 ? byte(1) << 8U : 0U);
    *to++ = table[bits >> 18U];
    *to++ = table[(bits >> 12U) & 63U];
    if (left == 2) *to++ = table[(bits >> 6U) & 63U];
    for (auto pad = left; alphabet == Alphabet::Standard && pad < 3; ++pad) *to++ = '=';
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
}

std::string encode(std::string_view bytes, Alphabet alphabet) {
  std::string out;
  append(out, bytes, alphabet);
  return out;
}

std::optional<std::string> decode(std::string_view text, Alphabet alphabet) {
  auto const body = without_padding(text, alphabet);
  if (!body) return std::nullopt;
  auto const& values = values_of(alphabet);
  auto const value_at = [&](std::size_t at) -> std::uint32_t {
    return values[static_cast<unsigned char>((*body)[at])];
  };
  auto const whole = body->size() / 4 * 4;
  std::string out(body->size() * 3 / 4, '\0');
  auto const done = decode_blocks(*body, out.data(), last_digits(alphabet));
  char* to = out.data() + done / 4 * 3;
  for (auto at = done; at < whole; at += 4) {
    auto const a = value_at(at);
    auto const b = value_at(at + 1);
    auto const c = value_at(at + 2);
    auto const d = value_at(at + 3);
    if (((a | b | c | d) & 0xC0U) != 0) return std::nullopt;
    auto const bits = (a << 18U) | (b << 12U) | (c << 6U) | d;
    *to++ = static_cast<char>(bits >> 16U);
    *to++ = static_cast<char>((bits >> 8U) & 0xFFU);
    *to++ = static_cast<char>(bits & 0xFFU);
  }
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (auto at = whole; at < body->size(); ++at) {
    auto const value = value_at(at);
    if (value == kNoDigit) return std::nullopt;
    bits = (bits << 6U) | value;
    held += 6;
    if (held >= 8) {
      held -= 8;
      *to++ = static_cast<char>((bits >> held) & 0xFFU);
    }
  }
  // Bits that encode() leaves zero: two texts must not mean the same bytes.
  if ((bits & ((1U << held) - 1U)) != 0) return std::nullopt;
  return out;
}

}  // namespace sallyport::base64
