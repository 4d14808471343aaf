#include "src/rego/arena.hpp"

#include <algorithm>
#include <bit>

namespace sallyport::rego {
namespace {

constexpr std::size_t kSmallestBlock = std::size_t{4} << 10;
constexpr std::size_t kLargestBlock = std::size_t{1} << 20;

}  // namespace

void* Arena::allocate_in_new_block(std::size_t bytes, std::size_t alignment) {
  auto const ordinary = blocks_.empty()
                            ? std::max(first_block_size_, kSmallestBlock)
                            : std::clamp(block_size_ * 2, kSmallestBlock, kLargestBlock);
  auto const size = std::max(ordinary, bytes + alignment);
  used_in_full_blocks_ += block_size_ - left_;
  blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
  if (blocks_.size() == 1) first_block_size_ = size;
  next_ = blocks_.back().get();
  left_ = size;
  block_size_ = size;
  return allocate(bytes, alignment);
}

std::string_view Arena::copy(std::string_view text) {
  if (text.empty()) return {};
  auto* const room = static_cast<char*>(allocate(text.size(), 1));
  std::memcpy(room, text.data(), text.size());
  return {room, text.size()};
}

void Arena::reset(std::size_t limit) noexcept {
  limit_ = limit;
  if (blocks_.size() > 1) {
    // One block that would have held everything: the next evaluation of this kind asks the heap
    // once more, those after it not at all. Nothing large is kept for good.
    first_block_size_ = std::clamp(std::bit_ceil(used()), kSmallestBlock, kLargestBlock);
    blocks_.clear();
  }
  used_in_full_blocks_ = 0;
  if (!blocks_.empty() && first_block_size_ > kLargestBlock) blocks_.clear();
  if (blocks_.empty()) {
    first_block_size_ = std::min(first_block_size_, kLargestBlock);
    next_ = nullptr;
    block_size_ = 0;
  } else {
    next_ = blocks_.front().get();
    block_size_ = first_block_size_;
  }
  left_ = block_size_;
}

}  // namespace sallyport::rego
