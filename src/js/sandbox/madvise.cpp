// Debian's libnode keeps V8's memory from children of a fork (MADV_DONTFORK), and a child that has
// none of it dies at the first look. This takes the place of the C library's function for the whole
// program.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" int madvise(void* address, size_t length, int advice) noexcept {
  if (advice == MADV_DONTFORK) return 0;
  return static_cast<int>(::syscall(SYS_madvise, address, length, advice));
}
