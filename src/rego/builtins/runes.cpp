#include "src/rego/builtins/runes.hpp"

#include <cstring>
#include <unicode/uchar.h>

namespace sallyport::rego::builtins {
namespace {

constexpr bool is_continuation(unsigned char byte) noexcept {
  return (byte & 0xC0) == 0x80;
}

constexpr bool is_surrogate(char32_t code) noexcept {
  return code >= 0xD800 && code <= 0xDFFF;
}

}  // namespace

Rune first_rune(std::string_view text) noexcept {
  if (text.empty()) return {kReplacementRune, 0};
  auto const byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  auto const lead = byte(0);
  if (lead < 0x80) return {lead, 1};

  std::size_t const width = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < width) return {};
  char32_t code = lead & (0xFFU >> (width + 1));
  for (std::size_t i = 1; i < width; ++i) {
    if (!is_continuation(byte(i))) return {};
    code = (code << 6) | (byte(i) & 0x3FU);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[width] || code > kLastRune || is_surrogate(code)) return {};
  return {code, static_cast<std::uint8_t>(width)};
}

Rune last_rune(std::string_view text) noexcept {
  if (text.empty()) return {kReplacementRune, 0};
  for (std::size_t width = 1; width <= 4 && width <= text.size(); ++width) {
    auto const rune = first_rune(text.substr(text.size() - width));
    if (rune.width == width && !rune.is_malformed()) return rune;
  }
  return {};
}

EncodedRune encode(char32_t code) noexcept {
  if (code > kLastRune || is_surrogate(code)) code = kReplacementRune;
  auto const byte = [](char32_t value) { return static_cast<char>(value); };
  if (code < 0x80) return {{byte(code)}, 1};
  if (code < 0x800) return {{byte(0xC0 | code >> 6), byte(0x80 | (code & 0x3F))}, 2};
  if (code < 0x10000) {
    return {{byte(0xE0 | code >> 12), byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F))},
            3};
  }
  return {{byte(0xF0 | code >> 18), byte(0x80 | (code >> 12 & 0x3F)),
           byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F))},
          4};
}

bool is_ascii(std::string_view text) noexcept {
  std::uint64_t seen = 0;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    seen |= word;
  }
  for (; at < text.size(); ++at) seen |= static_cast<unsigned char>(text[at]);
  return (seen & 0x8080'8080'8080'8080) == 0;
}

bool is_well_formed(std::string_view text) noexcept {
  if (is_ascii(text)) return true;
  while (!text.empty()) {
    auto const rune = first_rune(text);
    if (rune.is_malformed()) return false;
    text.remove_prefix(rune.width);
  }
  return true;
}

std::size_t count_runes(std::string_view text) noexcept {
  if (is_ascii(text)) return text.size();
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(first_rune(text).width);
  return count;
}

std::size_t offset_of_rune(std::string_view text, std::size_t number) noexcept {
  std::size_t at = 0;
  for (; number != 0 && at < text.size(); --number) at += first_rune(text.substr(at)).width;
  return at;
}

bool is_printable(char32_t code) noexcept {
  if (code < 0x80) return code >= 0x20 && code < 0x7F;
  constexpr auto kMarks = U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK | U_GC_P_MASK | U_GC_S_MASK;
  return code <= kLastRune && (U_GET_GC_MASK(static_cast<UChar32>(code)) & kMarks) != 0;
}

bool is_space(char32_t code) noexcept {
  switch (code) {
    case '\t':
    case '\n':
    case '\v':
    case '\f':
    case '\r':
    case ' ':
    case 0x85:
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202F:
    case 0x205F:
    case 0x3000: return true;
    default: return code >= 0x2000 && code <= 0x200A;
  }
}

std::size_t find(std::string_view text, std::string_view wanted, std::size_t from) noexcept {
  if (wanted.empty()) return from;
  if (wanted.size() > text.size() - from) return std::string_view::npos;
  auto const* const at =
      ::memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
  return at == nullptr ? std::string_view::npos
                       : static_cast<std::size_t>(static_cast<char const*>(at) - text.data());
}

}  // namespace sallyport::rego::builtins
