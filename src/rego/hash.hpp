// Hashes of values: for the indexes of collections and rules. Not for anything that must stay the
// same from one version to the next.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace sallyport::rego {

// The two halves of a product folded into one: each bit of either factor reaches all of it.
inline std::uint64_t mix(std::uint64_t left, std::uint64_t right) noexcept {
  auto const product = static_cast<unsigned __int128>(left) * right;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline constexpr std::uint64_t kMixA = 0x9e3779b97f4a7c15U;
inline constexpr std::uint64_t kMixB = 0xd6e8feb86659fd93U;

inline std::uint64_t hash_text(std::string_view text) noexcept {
  auto const* at = text.data();
  auto left = text.size();
  std::uint64_t hash = left ^ kMixB;
  std::uint64_t word = 0;
  for (; left > 8; at += 8, left -= 8) {
    std::memcpy(&word, at, 8);
    hash = mix(hash ^ word, kMixA);
  }
  word = 0;
  if (left != 0) std::memcpy(&word, at, left);
  return mix(hash ^ word ^ kMixB, kMixA);
}

}  // namespace sallyport::rego
