// Ids that name state of one event loop: `<prefix><loop>-<rest>`.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

namespace sallyport {

// The loop's number in such an id; nullopt when the text has another form. Ids come back from
// peers: check the number against how many loops there are.
inline std::optional<std::size_t> loop_in_id(std::string_view id,
                                             std::string_view prefix = {}) noexcept {
  if (!id.starts_with(prefix)) return std::nullopt;
  id.remove_prefix(prefix.size());
  std::size_t loop = 0;
  auto const* const end = id.data() + id.size();
  auto const parsed = std::from_chars(id.data(), end, loop);
  if (parsed.ec != std::errc{} || parsed.ptr == end || *parsed.ptr != '-') return std::nullopt;
  return loop;
}

}  // namespace sallyport
