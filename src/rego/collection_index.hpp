// The hash index of large objects and sets: where an element stands in the sorted array.
//
// The slots stand right before the elements, so that a Value needs no second pointer. An element
// that finds no slot within a few steps of where it belongs gets none: whoever does not find it
// there searches the sorted elements. So many equal hashes cost a binary search, not a long walk.
#pragma once

#include "src/rego/value.hpp"

#include <bit>
#include <cstdint>

namespace sallyport::rego {

// What build.cpp and value.cpp may do to a Value.
struct ValueAccess {
  static Value object(std::span<Entry const> entries, bool has_index) noexcept {
    Value result{Kind::Object};
    result.as_.entries = entries.data();
    result.size_ = static_cast<std::uint32_t>(entries.size());
    result.has_index_ = has_index;
    return result;
  }
  static Value set(std::span<Value const> items, bool has_index) noexcept {
    Value result{Kind::Set};
    result.as_.items = items.data();
    result.size_ = static_cast<std::uint32_t>(items.size());
    result.has_index_ = has_index;
    return result;
  }
  static bool has_index(Value value) noexcept { return value.has_index_; }
};

// Below, a search of the elements is as quick; above, an index of 24 bits does not reach.
inline constexpr std::size_t kFewestIndexed = 24;
inline constexpr std::size_t kMostIndexed = std::size_t{1} << 23;

inline bool wants_index(std::size_t size) noexcept {
  return size >= kFewestIndexed && size <= kMostIndexed;
}

inline constexpr std::uint32_t kNotFound = ~std::uint32_t{0};
inline constexpr std::uint32_t kSearch = kNotFound - 1;  // the index does not say

class CollectionIndex {
 public:
  static std::size_t slots_for(std::size_t size) noexcept { return std::bit_ceil(size * 2); }

  // `elements`: right behind the slots of a collection of `size`.
  CollectionIndex(void const* elements, std::size_t size) noexcept
      : mask_{slots_for(size) - 1},
        slots_{static_cast<std::uint32_t const*>(elements) - (mask_ + 1)} {}

  // `equals(position)` compares with the element there.
  template <class Equals>
  std::uint32_t find(std::uint64_t hash, Equals&& equals) const noexcept {
    for (std::size_t step = 0; step < kMostSteps; ++step) {
      auto const slot = slots_[(hash + step) & mask_];
      if (slot == 0) return kNotFound;
      auto const position = (slot & kPositionMask) - 1;
      if ((slot >> kPositionBits) == tag_of(hash) && equals(position)) return position;
    }
    return kSearch;
  }

  // `hash_at(position)` of the element there.
  template <class HashAt>
  static void fill(std::span<std::uint32_t> slots, std::size_t size, HashAt&& hash_at) noexcept {
    std::ranges::fill(slots, 0);
    auto const mask = slots.size() - 1;
    for (std::size_t position = 0; position < size; ++position) {
      auto const hash = hash_at(position);
      for (std::size_t step = 0; step < kMostSteps; ++step) {
        auto& slot = slots[(hash + step) & mask];
        if (slot != 0) continue;
        slot = (tag_of(hash) << kPositionBits) | static_cast<std::uint32_t>(position + 1);
        break;
      }
    }
  }

 private:
  static constexpr std::size_t kMostSteps = 8;
  static constexpr unsigned kPositionBits = 24;
  static constexpr std::uint32_t kPositionMask = (std::uint32_t{1} << kPositionBits) - 1;

  static std::uint32_t tag_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash >> 56);
  }

  std::size_t mask_;
  std::uint32_t const* slots_;
};

}  // namespace sallyport::rego
