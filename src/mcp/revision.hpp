// The five revisions of MCP and what differs between them.
//
// `Modern` is stateless: each request names its revision and capabilities. `Legacy` opens with
// `initialize`. Code outside mcp/ and transport/ never asks for either.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace sallyport::mcp {

enum class Revision { V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28 };

inline constexpr std::array kRevisions = {Revision::V2024_11_05, Revision::V2025_03_26,
                                          Revision::V2025_06_18, Revision::V2025_11_25,
                                          Revision::V2026_07_28};
inline constexpr Revision kLatestLegacy = Revision::V2025_11_25;
inline constexpr Revision kModern = Revision::V2026_07_28;

std::string_view to_string(Revision revision) noexcept;
std::optional<Revision> parse_revision(std::string_view text) noexcept;

constexpr bool is_modern(Revision revision) noexcept {
  return revision >= kModern;
}

// True for names from 2026-07-28 on, known or not ("2099-01-01", "v999"): such a name in a header
// or in `_meta` makes a request modern, and an unknown one is then refused as unsupported.
inline bool names_modern_era(std::string_view version) noexcept {
  return version >= to_string(kModern);
}

// Which parts of the protocol a revision has.
constexpr bool has_batching(Revision revision) noexcept {
  return revision <= Revision::V2025_03_26;
}
constexpr bool has_audio(Revision revision) noexcept {
  return revision >= Revision::V2025_03_26;
}
constexpr bool has_annotations(Revision revision) noexcept {
  return revision >= Revision::V2025_03_26;
}
constexpr bool has_progress_message(Revision revision) noexcept {
  return revision >= Revision::V2025_03_26;
}
constexpr bool has_structured_content(Revision revision) noexcept {
  return revision >= Revision::V2025_06_18;
}
constexpr bool has_titles_and_meta(Revision revision) noexcept {
  return revision >= Revision::V2025_06_18;
}
constexpr bool has_resource_links(Revision revision) noexcept {
  return revision >= Revision::V2025_06_18;
}
constexpr bool has_icons(Revision revision) noexcept {
  return revision >= Revision::V2025_11_25;
}
// Tasks inside the core protocol; 2026-07-28 has them as an extension.
constexpr bool has_core_tasks(Revision revision) noexcept {
  return revision == Revision::V2025_11_25;
}
// A structured result, and the schema of one, may be any JSON value, not only an object.
constexpr bool has_any_structured_content(Revision revision) noexcept {
  return is_modern(revision);
}
// A stream opens with an event that has an id and no data, so that a client can resume from it.
// Older clients choke on empty data.
constexpr bool has_priming_events(Revision revision) noexcept {
  return revision == Revision::V2025_11_25;
}

}  // namespace sallyport::mcp
