// The text of a glob to its parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego::builtins {

struct GlobNode {
  enum class Kind : std::uint8_t { Text, Any, Super, Single, Range, List, Alternatives };
  Kind kind;
  bool negated{false};                                // Range, List
  char32_t low{0};                                    // Range
  char32_t high{0};                                   // Range
  std::u32string runes{};                             // Text, List
  std::vector<std::vector<GlobNode>> alternatives{};  // Alternatives
};

// Nothing, with the reason in `error`, where it is no glob.
std::optional<std::vector<GlobNode>> parse_glob(std::string_view pattern, std::string& error);

}  // namespace sallyport::rego::builtins
