// Where the frames of rules and functions live. Blocks are kept, so that a steady state asks the
// heap for nothing; what is in a frame is written before it is read.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace sallyport::rego::vm {

class FrameStack {
 public:
  struct Mark {
    std::size_t block{0};
    std::size_t used{0};
  };

  Mark mark() const noexcept { return top_; }
  void release(Mark mark) noexcept { top_ = mark; }

  // Aligned for anything.
  void* take(std::size_t bytes) {
    constexpr std::size_t kAlignment = alignof(std::max_align_t);
    bytes = (bytes + kAlignment - 1) & ~(kAlignment - 1);
    if (top_.block < blocks_.size() && top_.used + bytes <= blocks_[top_.block].size) {
      auto* const result = blocks_[top_.block].memory.get() + top_.used;
      top_.used += bytes;
      return result;
    }
    return take_from_next(bytes);
  }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size{0};
  };

  void* take_from_next(std::size_t bytes);

  std::vector<Block> blocks_;
  Mark top_;
};

}  // namespace sallyport::rego::vm
