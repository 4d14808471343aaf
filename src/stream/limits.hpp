// How much a view may have, and for how long.
#pragma once

#include <chrono>
#include <cstddef>

namespace sallyport::stream {

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;

struct Limits {
  std::size_t streams_per_view{64};
  std::size_t views_per_principal{1024};
  // Of what was read from an origin and is not acknowledged: of one stream, of all of a view, and
  // of all views of a principal.
  std::size_t window{kMiB};
  std::size_t view_bytes{8 * kMiB};
  std::size_t principal_bytes{64 * kMiB};
  std::size_t frame_bytes{256 * kKiB};   // of one frame's payload
  std::size_t unsent{kMiB};              // of what is on its way to an origin, before pushes wait
  std::size_t message_bytes{16 * kMiB};  // of one message to a WebSocket
  std::chrono::milliseconds lease{60'000};  // of a view without a pull
};

// What a frame takes besides its payload: a flood of empty ones fills a window, too.
inline constexpr std::size_t kFrameCost = 128;

}  // namespace sallyport::stream
