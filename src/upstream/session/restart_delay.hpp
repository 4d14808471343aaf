// When a program that has ended may be started again: at once the first time, then later and later,
// so that one which ends at every start does not keep the machine busy.
#pragma once

#include "src/base/task.hpp"

#include <algorithm>
#include <chrono>

namespace sallyport::upstream {

class RestartDelay {
 public:
  using Span = std::chrono::milliseconds;

  static constexpr Span kFirst{500};
  static constexpr Span kLongest{30'000};
  static constexpr Span kLongLife{60'000};  // who lived that long ended for a new reason

  // It ended at `now`, having started at `started`.
  void ended(Clock::time_point started, Clock::time_point now) {
    ends_ = now - started >= kLongLife ? 1 : ends_ + 1;
    auto const doublings = std::clamp(ends_ - 2, 0, 10);
    auto const delay = ends_ < 2 ? Span{0} : std::min(kLongest, kFirst * (1 << doublings));
    not_before_ = now + delay;
  }

  // How long still to wait.
  Span left(Clock::time_point now) const {
    return std::max(Span{0}, std::chrono::duration_cast<Span>(not_before_ - now));
  }

 private:
  int ends_{0};
  Clock::time_point not_before_;
};

}  // namespace sallyport::upstream
