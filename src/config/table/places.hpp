// For the parts of the table: where a setting lives, and the units of its range.
#pragma once

#include "src/config/item_checks.hpp"
#include "src/config/setting.hpp"
#include "src/config/table/parts.hpp"

#include <optional>

// SP_AT(listen.port) is where settings.listen.port lives. A macro, because a path through nested
// members cannot be a template argument.
#define SP_AT(member)                                             \
  At {                                                            \
    +[](Settings& s) -> decltype((s.member)) { return s.member; } \
  }
#define SP_BYTES(member)                                  \
  BytesAt {                                               \
    +[](Settings& s) -> std::size_t& { return s.member; } \
  }
#define SP_JWT(member)                                                                     \
  At {                                                                                     \
    +[](Settings& s) -> decltype((s.auth.jwt->member)) { return made(s.auth.jwt).member; } \
  }
#define SP_FORWARD(member)                                                                         \
  At {                                                                                             \
    +[](Settings& s) -> decltype((s.auth.forward->member)) { return made(s.auth.forward).member; } \
  }

namespace sallyport::config {

template <class T>
At(T& (*)(Settings&)) -> At<T>;

// The section, which stands in the settings as soon as one of its members does.
template <class T>
T& made(std::optional<T>& section) {
  return section ? *section : section.emplace();
}

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;
inline constexpr std::uint64_t kDay = 86'400'000;

}  // namespace sallyport::config
