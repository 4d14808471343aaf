#include "bench/policy/allocations.hpp"

#include <cstddef>

namespace {

thread_local std::uint64_t count = 0;

}  // namespace

// glibc's own functions under the names that it keeps for those who replace the public ones. Free
// needs no replacement: the memory is glibc's.
extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t items, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);

void* malloc(std::size_t size) noexcept {
  ++count;
  return __libc_malloc(size);
}

void* calloc(std::size_t items, std::size_t size) noexcept {
  ++count;
  return __libc_calloc(items, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  ++count;
  return __libc_realloc(memory, size);
}

}  // extern "C"

namespace sallyport::bench {

std::uint64_t allocations() noexcept {
  return count;
}

}  // namespace sallyport::bench
