#include "src/js/sandbox/memory_use.hpp"

#include <fstream>
#include <string>

namespace sallyport::js::sandbox {

MemoryUse memory_use() {
  MemoryUse use;
  std::ifstream file{"/proc/self/status"};
  for (std::string key; file >> key;) {
    std::size_t kilobytes = 0;
    if (key == "VmRSS:" && file >> kilobytes) use.resident_bytes = kilobytes * 1024;
    if (key == "VmData:" && file >> kilobytes) use.data_bytes = kilobytes * 1024;
    file.ignore(4096, '\n');
  }
  return use;
}

}  // namespace sallyport::js::sandbox
