#include "src/js/sandbox/buffer_allocator.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace sallyport::js::sandbox {

bool BufferAllocator::take(std::size_t length) noexcept {
  if (length > limit_ || used_ > limit_ - length) return false;
  used_ += length;
  return true;
}

void* BufferAllocator::Allocate(std::size_t length) {
  if (!take(length)) return nullptr;
  auto* const data = std::calloc(length, 1);
  if (data == nullptr) used_ -= length;
  return data;
}

void* BufferAllocator::AllocateUninitialized(std::size_t length) {
  // SECURITY: zeroed all the same. What a buffer shows of old memory would be the session's own,
  // but also what the engine keeps beside it, such as addresses.
  return Allocate(length);
}

void BufferAllocator::Free(void* data, std::size_t length) {
  std::free(data);
  used_ -= std::min(used_, length);
}

void* BufferAllocator::Reallocate(void* data, std::size_t old_length, std::size_t new_length) {
  auto* const moved = Allocate(new_length);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, data, std::min(old_length, new_length));
  Free(data, old_length);
  return moved;
}

}  // namespace sallyport::js::sandbox
