// Ids that nobody can guess, from the system's random source.
#pragma once

#include <cstddef>
#include <string>

namespace sallyport {

// 2 * `bytes` lower-case hex digits; 16 bytes where the id is a handle to someone's state.
std::string random_id(std::size_t bytes = 16);

void fill_random(void* bytes, std::size_t count);

}  // namespace sallyport
