#include "src/js/sandbox/huge_text.hpp"

#include <cstdint>
#include <cstring>
#include <link.h>
#include <string_view>
#include <sys/mman.h>

namespace sallyport::js::sandbox {
namespace {

constexpr std::uintptr_t kHugePage = 2UL * 1024 * 1024;

struct Range {
  std::uintptr_t begin{0};
  std::uintptr_t end{0};
};

int find_text(dl_phdr_info* library, std::size_t /*size*/, void* found) {
  if (std::string_view{library->dlpi_name}.find("libnode.so") == std::string_view::npos) return 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    auto const& part = library->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    auto const begin = library->dlpi_addr + part.p_vaddr;
    *static_cast<Range*>(found) = {.begin = (begin + kHugePage - 1) / kHugePage * kHugePage,
                                   .end = (begin + part.p_memsz) / kHugePage * kHugePage};
  }
  return 1;
}

}  // namespace

void use_huge_pages_for_the_engine() noexcept {
  Range text;
  ::dl_iterate_phdr(find_text, &text);
  if (text.begin >= text.end) return;
  auto const size = text.end - text.begin;
  // Larger, so that an aligned part is in it.
  auto* const space = ::mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) return;
  auto const first = reinterpret_cast<std::uintptr_t>(space);
  auto const aligned = (first + kHugePage - 1) / kHugePage * kHugePage;
  auto* const copy = reinterpret_cast<void*>(aligned);
  auto* const place = reinterpret_cast<void*>(text.begin);
  bool is_ready = ::madvise(copy, size, MADV_HUGEPAGE) == 0;
  if (is_ready) {
    std::memcpy(copy, place, size);
    is_ready = ::mprotect(copy, size, PROT_READ | PROT_EXEC) == 0;
  }
  if (is_ready) ::mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  ::munmap(space, size + kHugePage);
}

}  // namespace sallyport::js::sandbox
