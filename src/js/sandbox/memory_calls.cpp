// Two functions of the C library, in their place for the whole program: what V8 asks of the memory
// is not made for a process that forks.
#include <cstddef>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Debian's libnode keeps V8's memory from children of a fork (MADV_DONTFORK), and a child that has
// none of it dies at the first look.
extern "C" int madvise(void* address, size_t length, int advice) noexcept {
  if (advice == MADV_DONTFORK) return 0;
  return static_cast<int>(::syscall(SYS_madvise, address, length, advice));
}

// V8 spreads its heap at random over the address space, some hundred kilobytes at a place. Each
// place needs page tables of its own, which each fork has to copy: more of them than of the memory
// itself. So the kernel chooses, and puts it together. It is still somewhere else at each start of
// the program.
extern "C" void* mmap64(void* address, size_t length, int protection, int flags, int fd,
                        off64_t offset) noexcept {
  constexpr size_t kLargestHeapPart = 4UL * 1024 * 1024;
  bool const is_only_a_wish = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) == 0;
  if (is_only_a_wish && fd == -1 && length <= kLargestHeapPart) address = nullptr;
  auto const result = ::syscall(SYS_mmap, address, length, protection, flags, fd, offset);
  return reinterpret_cast<void*>(result);
}

extern "C" void* mmap(void* address, size_t length, int protection, int flags, int fd,
                      off_t offset) noexcept {
  return mmap64(address, length, protection, flags, fd, offset);
}
