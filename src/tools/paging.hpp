// A part of a long text: where it begins and ends, so that a reader can go on.
#pragma once

#include "src/base/result.hpp"

#include <cstddef>
#include <string_view>

namespace sallyport::tools {

// From `start` until `end`, in bytes of a UTF-8 text with `total` of them; both at the edge of a
// character.
struct Window {
  std::size_t start{0};
  std::size_t end{0};
  std::size_t total{0};

  bool is_cut() const noexcept { return end < total; }
};

// At most `max_length` bytes from `start_index` on, which moves to the next character when it lies
// inside one. Ends at a line's end if one lies in the last fifth, and holds at least one character.
// Fails with InvalidInput when there is nothing at `start_index`.
Result<Window> window(std::string_view text, std::size_t start_index, std::size_t max_length);

}  // namespace sallyport::tools
