#include "src/content/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace sallyport::content {
namespace {

// What stands at `at`, which is not ASCII.
struct Sequence {
  std::size_t length;  // of the character, or of the malformed part: at least 1
  bool valid;
};

struct Lead {
  std::size_t continuations;  // 0: no lead byte
  unsigned char low;          // range of the first continuation byte
  unsigned char high;
};

// https://encoding.spec.whatwg.org/#utf-8-decoder: no overlong forms, surrogates or above 10FFFF.
Lead lead_of(unsigned char byte) noexcept {
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {1, 0x80, 0xBF};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};
  if (byte == 0xED) return {2, 0x80, 0x9F};
  if (byte < 0xF0) return {2, 0x80, 0xBF};
  if (byte == 0xF0) return {3, 0x90, 0xBF};
  if (byte < 0xF4) return {3, 0x80, 0xBF};
  if (byte == 0xF4) return {3, 0x80, 0x8F};
  return {0, 0, 0};
}

Sequence sequence_at(std::string_view bytes, std::size_t at) noexcept {
  auto const lead = lead_of(static_cast<unsigned char>(bytes[at]));
  if (lead.continuations == 0) return {1, false};
  for (std::size_t i = 1; i <= lead.continuations; ++i) {
    if (at + i == bytes.size()) return {i, false};
    auto const byte = static_cast<unsigned char>(bytes[at + i]);
    auto const low = i == 1 ? lead.low : 0x80;
    auto const high = i == 1 ? lead.high : 0xBF;
    if (byte < low || byte > high) return {i, false};
  }
  return {lead.continuations + 1, true};
}

std::size_t skip_ascii(std::string_view bytes, std::size_t at) noexcept {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  while (at + sizeof(std::uint64_t) <= bytes.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if ((word & kHighBits) != 0) break;
    at += sizeof word;
  }
  while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) ++at;
  return at;
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view bytes) noexcept {
  auto at = skip_ascii(bytes, 0);
  while (at < bytes.size()) {
    auto const sequence = sequence_at(bytes, at);
    if (!sequence.valid) return at;
    at = skip_ascii(bytes, at + sequence.length);
  }
  return at;
}

bool is_damaged_utf8(std::string_view bytes) noexcept {
  std::size_t good = 0;
  std::size_t bad = 0;
  for (auto at = skip_ascii(bytes, 0); at < bytes.size();) {
    auto const sequence = sequence_at(bytes, at);
    ++(sequence.valid ? good : bad);
    at = skip_ascii(bytes, at + sequence.length);
  }
  return good > 0 && good >= bad * 10;
}

std::string mended_utf8(std::string bytes, bool& replaced) {
  auto good = valid_utf8_prefix(bytes);
  if (good == bytes.size()) return bytes;
  replaced = true;
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  std::string_view rest{bytes};
  while (true) {
    out.append(rest.substr(0, good));
    rest.remove_prefix(good);
    if (rest.empty()) return out;
    out.append(kReplacement);
    rest.remove_prefix(sequence_at(rest, 0).length);
    good = valid_utf8_prefix(rest);
  }
}

}  // namespace sallyport::content
