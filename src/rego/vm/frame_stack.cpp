#include "src/rego/vm/frame_stack.hpp"

#include <algorithm>

namespace sallyport::rego::vm {

void* FrameStack::take_from_next(std::size_t bytes) {
  constexpr std::size_t kBlock = std::size_t{64} << 10;
  auto block = blocks_.empty() ? 0 : top_.block + 1;
  while (block < blocks_.size() && blocks_[block].size < bytes) ++block;
  if (block >= blocks_.size()) {
    auto const size = std::max(bytes, kBlock);
    blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
    block = blocks_.size() - 1;
  }
  top_ = {block, bytes};
  return blocks_[block].memory.get();
}

}  // namespace sallyport::rego::vm
