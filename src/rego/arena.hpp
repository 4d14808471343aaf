// Memory of one compiled policy, or of one evaluation: taken piece by piece, given back all at
// once.
//
// Nothing in it is ever destroyed, so only trivially destructible things live here. An arena that
// has given more than its limit says so (`exhausted()`) instead of failing in the middle of a
// function: the evaluator asks after every instruction, and a built-in whose work is not bounded by
// the size of its operands asks as it goes. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sallyport::rego {

class Arena {
 public:
  static constexpr std::size_t kNoLimit = ~std::size_t{0};

  explicit Arena(std::size_t limit = kNoLimit) : limit_{limit} {}
  Arena(Arena&&) noexcept = default;
  Arena& operator=(Arena&&) noexcept = default;

  // Never fails; zero bytes give a pointer that must not be read.
  void* allocate(std::size_t bytes, std::size_t alignment) {
    auto const padding = (alignment - reinterpret_cast<std::uintptr_t>(next_)) & (alignment - 1);
    if (bytes + padding > left_) return allocate_in_new_block(bytes, alignment);
    auto* const result = next_ + padding;
    next_ = result + bytes;
    left_ -= bytes + padding;
    return result;
  }

  // Uninitialised; the caller writes every element before anyone reads.
  template <class T>
  std::span<T> allocate_span(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return {static_cast<T*>(allocate(count * sizeof(T), alignof(T))), count};
  }

  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return std::construct_at(static_cast<T*>(allocate(sizeof(T), alignof(T))),
                             std::forward<Args>(args)...);
  }

  std::string_view copy(std::string_view text);

  std::size_t used() const noexcept { return used_in_full_blocks_ + (block_size_ - left_); }
  bool exhausted() const noexcept { return used() > limit_; }
  void set_limit(std::size_t limit) noexcept { limit_ = limit; }
  // Everything given is invalid from here on. Keeps its first block, so that the next evaluation
  // does not ask the heap.
  void reset(std::size_t limit = kNoLimit) noexcept;

 private:
  void* allocate_in_new_block(std::size_t bytes, std::size_t alignment);

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_{nullptr};
  std::size_t left_{0};
  std::size_t block_size_{0};
  std::size_t first_block_size_{0};
  std::size_t used_in_full_blocks_{0};
  std::size_t limit_;
};

}  // namespace sallyport::rego
