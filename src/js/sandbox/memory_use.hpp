#pragma once

#include <cstddef>

namespace sallyport::js::sandbox {

struct MemoryUse {
  std::size_t resident_bytes{0};
  std::size_t data_bytes{0};  // what RLIMIT_DATA counts
};

// Of this process.
MemoryUse memory_use();

}  // namespace sallyport::js::sandbox
