// How much memory this process holds.
#pragma once

#include <cstddef>
#include <fstream>

namespace sallyport::test {

// A sanitizer keeps freed memory: nothing can be said then.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kMemoryIsTelling = false;
#else
inline constexpr bool kMemoryIsTelling = true;
#endif

// 0 where memory tells nothing.
inline std::size_t resident_kilobytes() {
  if (!kMemoryIsTelling) return 0;
  std::ifstream statm{"/proc/self/statm"};
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * 4;
}

}  // namespace sallyport::test
