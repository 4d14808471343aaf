// Counts what a thread takes from the heap. Linking this replaces malloc, calloc and realloc.
#pragma once

#include <cstdint>

namespace sallyport::bench {

// By the calling thread, since it began.
std::uint64_t allocations() noexcept;

}  // namespace sallyport::bench
