#include "src/mcp/revision.hpp"

#include <algorithm>

namespace sallyport::mcp {

std::string_view to_string(Revision revision) noexcept {
  switch (revision) {
    case Revision::V2024_11_05: return "2024-11-05";
    case Revision::V2025_03_26: return "2025-03-26";
    case Revision::V2025_06_18: return "2025-06-18";
    case Revision::V2025_11_25: return "2025-11-25";
    case Revision::V2026_07_28: return "2026-07-28";
  }
  return "";
}

std::optional<Revision> parse_revision(std::string_view text) noexcept {
  auto const* const found =
      std::ranges::find_if(kRevisions, [&](Revision each) { return to_string(each) == text; });
  return found == kRevisions.end() ? std::nullopt : std::optional{*found};
}

}  // namespace sallyport::mcp
