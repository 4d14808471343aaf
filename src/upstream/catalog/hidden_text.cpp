#include "src/upstream/catalog/hidden_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace sallyport::upstream {
namespace {

struct HiddenRange {
  std::uint32_t first;
  std::uint32_t last;
  std::string_view kind;
};

constexpr HiddenRange kHidden[] = {
    {0x00, 0x08, "control characters"},         {0x0B, 0x0C, "control characters"},
    {0x0E, 0x1F, "control characters"},         {0x7F, 0x9F, "control characters"},
    {0x00AD, 0x00AD, "zero-width characters"},  {0x061C, 0x061C, "bidirectional controls"},
    {0x115F, 0x1160, "zero-width characters"},  {0x17B4, 0x17B5, "zero-width characters"},
    {0x180E, 0x180E, "zero-width characters"},  {0x200B, 0x200D, "zero-width characters"},
    {0x200E, 0x200F, "bidirectional controls"}, {0x202A, 0x202E, "bidirectional controls"},
    {0x2060, 0x2064, "zero-width characters"},  {0x2066, 0x2069, "bidirectional controls"},
    {0x3164, 0x3164, "zero-width characters"},  {0xFEFF, 0xFEFF, "zero-width characters"},
    {0xFFA0, 0xFFA0, "zero-width characters"},  {0xE0000, 0xE007F, "tag characters"},
    {0xE0100, 0xE01EF, "variation selectors"},
};

constexpr std::string_view kReportedMembers[] = {
    "name",        "title", "description", "inputSchema",         "outputSchema",
    "annotations", "_meta", "_meta.ui",    "_meta.ui/resourceUri"};

// Takes one character off the text, which is UTF-8: JSON that is not has been refused.
std::uint32_t next_character(std::string_view& text) {
  auto const lead = static_cast<unsigned char>(text.front());
  text.remove_prefix(1);
  if (lead < 0x80) return lead;
  std::uint32_t character = lead < 0xE0 ? lead & 0x1FU : lead < 0xF0 ? lead & 0x0FU : lead & 0x07U;
  while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xC0U) == 0x80U) {
    character = character << 6U | (static_cast<unsigned char>(text.front()) & 0x3FU);
    text.remove_prefix(1);
  }
  return character;
}

class HiddenTextSearch {
 public:
  void look_at(std::string_view where, json::Value const& value) {
    if (auto const* text = value.if_string()) look_at_text(where, json::view(*text));
    if (auto const* array = value.if_array()) {
      for (auto const& each : *array) look_at(where, each);
    }
    if (auto const* object = value.if_object()) look_at(where, *object);
  }

  void look_at(std::string_view where, json::Object const& object) {
    for (auto const& member : object) {
      look_at_text(where, member.key());
      look_at(where, member.value());
    }
  }

  void look_at_text(std::string_view where, std::string_view text) {
    std::uint32_t before = 0;
    bool in_flag = false;
    while (!text.empty()) {
      auto const character = next_character(text);
      bool const is_tag = character >= 0xE0020 && character <= 0xE007F;
      in_flag = character == kBlackFlag || (in_flag && is_tag);
      bool const joins = (character == kJoiner || character == kNonJoiner) && before >= 0x80;
      if (!(in_flag && is_tag) && !joins) report(where, character);
      before = character;
    }
  }

  std::vector<std::string> found() && { return std::move(found_); }

 private:
  // Emoji of several parts, and words in some scripts, have these for good reasons.
  static constexpr std::uint32_t kNonJoiner = 0x200C;
  static constexpr std::uint32_t kJoiner = 0x200D;
  static constexpr std::uint32_t kBlackFlag = 0x1F3F4;  // tags behind it name a region

  void report(std::string_view where, std::uint32_t character) {
    auto const* const range = std::ranges::find_if(kHidden, [&](HiddenRange const& each) {
      return each.first <= character && character <= each.last;
    });
    if (range == std::end(kHidden)) return;
    if (std::ranges::find(seen_, range->kind) != seen_.end()) return;
    seen_.push_back(range->kind);
    found_.push_back(fmt::format("{}: {} (U+{:04X})", where, range->kind, character));
  }

  std::vector<std::string_view> seen_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> hidden_text(json::Object const& definition) {
  HiddenTextSearch search;
  for (auto const& member : definition) {
    std::string_view const name = member.key();
    search.look_at_text("a member's name", name);
    // Reports name no member that might itself be meant to deceive.
    bool const is_known = std::ranges::find(kReportedMembers, name) != std::end(kReportedMembers);
    search.look_at(is_known ? name : "another member", member.value());
  }
  return std::move(search).found();
}

}  // namespace sallyport::upstream
