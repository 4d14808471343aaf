// The severities of `notifications/message` (RFC 5424).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace sallyport::mcp {

enum class LogLevel { Debug, Info, Notice, Warning, Error, Critical, Alert, Emergency };

inline constexpr std::array<std::string_view, 8> kLogLevelNames = {
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};

constexpr std::string_view to_string(LogLevel level) noexcept {
  return kLogLevelNames[static_cast<std::size_t>(level)];
}

constexpr std::optional<LogLevel> parse_log_level(std::string_view text) noexcept {
  for (std::size_t i = 0; i < kLogLevelNames.size(); ++i) {
    if (kLogLevelNames[i] == text) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

}  // namespace sallyport::mcp
