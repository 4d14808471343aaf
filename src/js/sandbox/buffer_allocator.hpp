// The memory behind ArrayBuffer, up to a limit: a script that wants more gets a RangeError.
// V8 does not count it as heap.
#pragma once

#include <v8-array-buffer.h>

#include <cstddef>

namespace sallyport::js::sandbox {

class BufferAllocator final : public v8::ArrayBuffer::Allocator {
 public:
  void set_limit(std::size_t bytes) noexcept { limit_ = bytes; }

  void* Allocate(std::size_t length) override;
  void* AllocateUninitialized(std::size_t length) override;
  void Free(void* data, std::size_t length) override;
  void* Reallocate(void* data, std::size_t old_length, std::size_t new_length) override;

 private:
  bool take(std::size_t length) noexcept;

  std::size_t limit_{static_cast<std::size_t>(-1)};
  std::size_t used_{0};
};

}  // namespace sallyport::js::sandbox
