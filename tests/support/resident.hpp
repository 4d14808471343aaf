// How much memory this process holds.
#pragma once

#include <cstddef>
#include <fstream>

namespace sallyport::test {

// 0 where a sanitizer keeps freed memory: nothing can be said then.
inline std::size_t resident_kilobytes() {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return 0;
#else
  std::ifstream statm{"/proc/self/statm"};
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * 4;
#endif
}

}  // namespace sallyport::test
