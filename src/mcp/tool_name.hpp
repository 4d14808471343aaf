// What a tool may be called.
#pragma once

#include <algorithm>
#include <string_view>

namespace sallyport::mcp {

inline constexpr std::size_t kLongestToolName = 64;

// 1 to 64 of [A-Za-z0-9_.-].
inline bool is_tool_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= kLongestToolName && std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '-';
  });
}

}  // namespace sallyport::mcp
