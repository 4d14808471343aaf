#include "src/content/html/character_references.hpp"

#include "src/content/html/character_reference_table.hpp"
#include "src/content/html/characters.hpp"

#include <algorithm>
#include <cstdint>

namespace sallyport::content::html {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr std::size_t kLongestName = 32;
constexpr std::size_t kLongestLegacyName = 6;
constexpr std::size_t kShortestName = 2;

constexpr auto kEntryCount = static_cast<std::size_t>(
    std::count(kCharacterReferences.begin(), kCharacterReferences.end(), ' '));

// Where each entry begins, and the end.
constexpr auto kStarts = [] {
  std::array<std::uint16_t, kEntryCount + 1> starts{};
  std::size_t entry = 0;
  for (std::size_t i = 0; i < kCharacterReferences.size(); ++i) {
    if (kCharacterReferences[i] == ' ') starts[++entry] = static_cast<std::uint16_t>(i + 1);
  }
  return starts;
}();
static_assert(kCharacterReferences.size() < 65536);

struct Entry {
  std::string_view name;
  bool semicolon_optional{false};
  std::string_view characters;
};

Entry entry_at(std::size_t index) {
  auto const text = kCharacterReferences.substr(
      kStarts[index], static_cast<std::size_t>(kStarts[index + 1] - kStarts[index] - 1));
  std::size_t length = kShortestName;
  while (is_alphanumeric(text[length])) ++length;
  return {text.substr(0, length), text[length] == '?', text.substr(length + 1)};
}

Entry find_entry(std::string_view name) {
  std::size_t low = 0;
  std::size_t high = kEntryCount;
  while (low < high) {
    auto const middle = (low + high) / 2;
    auto const entry = entry_at(middle);
    if (entry.name == name) return entry;
    if (entry.name < name) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {};
}

CharacterReference made_of(std::size_t length, std::string_view characters) {
  CharacterReference reference{.length = length, .size = characters.size()};
  std::copy(characters.begin(), characters.end(), reference.bytes.begin());
  return reference;
}

// What the Standard makes of the numbers of the C1 controls: windows-1252.
constexpr std::array<char16_t, 32> kWindows1252 = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

char32_t character_of_number(std::uint32_t number) {
  if (number == 0 || number > 0x10FFFF || (number >= 0xD800 && number <= 0xDFFF)) {
    return kReplacement;
  }
  if (number >= 0x80 && number <= 0x9F) return kWindows1252[number - 0x80];
  return number;
}

int digit_of(char c, std::uint32_t base) {
  if (c >= '0' && c <= '9') return c - '0';
  if (base == 16 && to_lower(c) >= 'a' && to_lower(c) <= 'f') return to_lower(c) - 'a' + 10;
  return -1;
}

CharacterReference read_numeric(std::string_view input) {
  std::size_t at = 2;
  std::uint32_t base = 10;
  if (at < input.size() && to_lower(input[at]) == 'x') {
    base = 16;
    ++at;
  }
  auto const first_digit = at;
  std::uint32_t number = 0;
  for (; at < input.size(); ++at) {
    auto const digit = digit_of(input[at], base);
    if (digit < 0) break;
    // Saturates above the last code point: how many digits follow makes no difference.
    if (number <= 0x10FFFF) number = number * base + static_cast<std::uint32_t>(digit);
  }
  if (at == first_digit) return {};
  if (at < input.size() && input[at] == ';') ++at;
  std::string utf8;
  append_utf8(utf8, character_of_number(number));
  return made_of(at, utf8);
}

}  // namespace

CharacterReference read_character_reference(std::string_view input, ReferencePlace place) {
  if (input.size() > 1 && input[1] == '#') return read_numeric(input);
  std::size_t end = 1;
  while (end < input.size() && end <= kLongestName && is_alphanumeric(input[end])) ++end;
  auto const run = input.substr(1, end - 1);
  if (run.size() < kShortestName) return {};
  if (end < input.size() && input[end] == ';') {
    auto const entry = find_entry(run);
    if (!entry.name.empty()) return made_of(end + 1, entry.characters);
  }
  for (auto length = std::min(run.size(), kLongestLegacyName); length >= kShortestName; --length) {
    auto const entry = find_entry(run.substr(0, length));
    if (entry.name.empty() || !entry.semicolon_optional) continue;
    auto const next = length + 1 < input.size() ? input[length + 1] : '\0';
    // "?a=1&copy=2" in an address is no copyright sign.
    if (place == ReferencePlace::Attribute && (next == '=' || is_alphanumeric(next))) return {};
    return made_of(length + 1, entry.characters);
  }
  return {};
}

std::string decode_attribute(std::string_view raw) {
  std::string value;
  value.reserve(raw.size());
  while (!raw.empty()) {
    auto const ampersand = std::min(raw.find('&'), raw.size());
    value.append(raw.substr(0, ampersand));
    raw.remove_prefix(ampersand);
    if (raw.empty()) break;
    auto const reference = read_character_reference(raw, ReferencePlace::Attribute);
    if (reference.length == 0) {
      value.push_back('&');
      raw.remove_prefix(1);
    } else {
      value.append(reference.characters());
      raw.remove_prefix(reference.length);
    }
  }
  return value;
}

void append_utf8(std::string& out, char32_t character) {
  auto const byte = [&](char32_t bits) { out.push_back(static_cast<char>(bits)); };
  if (character < 0x80) {
    byte(character);
  } else if (character < 0x800) {
    byte(0xC0 | (character >> 6));
    byte(0x80 | (character & 0x3F));
  } else if (character < 0x10000) {
    byte(0xE0 | (character >> 12));
    byte(0x80 | ((character >> 6) & 0x3F));
    byte(0x80 | (character & 0x3F));
  } else {
    byte(0xF0 | (character >> 18));
    byte(0x80 | ((character >> 12) & 0x3F));
    byte(0x80 | ((character >> 6) & 0x3F));
    byte(0x80 | (character & 0x3F));
  }
}

}  // namespace sallyport::content::html
