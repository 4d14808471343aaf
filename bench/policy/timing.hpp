// How long a piece of work takes. The programs around our peers measure in the same way.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <vector>

namespace sallyport::bench {

struct Timing {
  double mean_us{0};  // CPU time: best of three rounds
  double p50_us{0};   // by the clock, of single runs; reading it is included
  double p99_us{0};
};

inline double cpu_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

inline double clock_seconds() noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// How long this thread has waited for a core that others had: not ours to answer for.
inline double waited_seconds() {
  std::uint64_t running = 0;
  std::uint64_t waiting = 0;
  std::ifstream{"/proc/thread-self/schedstat"} >> running >> waiting;
  return static_cast<double>(waiting) * 1e-9;
}

template <class Work>
double mean_us(double seconds, Work const& work) {
  std::size_t batch = 1;
  double best = 1e12;
  for (int round = 0; round < 3;) {
    auto const begun = cpu_seconds();
    for (std::size_t i = 0; i < batch; ++i) work();
    auto const took = cpu_seconds() - begun;
    if (took < seconds / 8) {
      batch *= 4;  // this was the warming up
      continue;
    }
    best = std::min(best, took / static_cast<double>(batch) * 1e6);
    ++round;
  }
  return best;
}

template <class Work>
Timing measure(double seconds, Work const& work) {
  constexpr std::size_t kMost = 1 << 18;
  Timing timing{.mean_us = mean_us(seconds, work)};
  std::vector<double> samples;
  samples.reserve(kMost);
  auto const begun = clock_seconds();
  auto last = begun;
  while (samples.size() < kMost && (last - begun < seconds || samples.size() < 10)) {
    work();
    auto const now = clock_seconds();
    samples.push_back((now - last) * 1e6);
    last = now;
  }
  std::ranges::sort(samples);
  timing.p50_us = samples[samples.size() / 2];
  timing.p99_us = samples[samples.size() * 99 / 100];
  return timing;
}

}  // namespace sallyport::bench
