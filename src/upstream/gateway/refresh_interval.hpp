// How long what a server offers is believed before it is asked again.
#pragma once

#include <algorithm>
#include <chrono>

namespace sallyport::upstream {

// `fresh_for`: as long as the server says (`ttlMs`); 0 where it says nothing. One that says moments
// is not asked all the time.
constexpr std::chrono::milliseconds refresh_interval(std::chrono::milliseconds fresh_for) {
  constexpr std::chrono::milliseconds kUsual{300'000};
  constexpr std::chrono::milliseconds kShortest{30'000};
  return fresh_for.count() == 0 ? kUsual : std::max(kShortest, fresh_for);
}

}  // namespace sallyport::upstream
