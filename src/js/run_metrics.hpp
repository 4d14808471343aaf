// The numbers that the engine keeps of its runs.
#pragma once

#include "src/base/metrics.hpp"
#include "src/js/engine.hpp"

#include <array>
#include <cstddef>

namespace sallyport::js {

class RunMetrics {
 public:
  explicit RunMetrics(Metrics& metrics);

  void count(Result<RunOutcome> const& outcome) noexcept;

  Gauge& queued;
  Gauge& running;
  Gauge& sessions;

 private:
  static constexpr std::size_t kEnds = 7;  // of RunEnd

  std::array<Counter*, kEnds> ends_{};
  Counter& cancelled_;
  Counter& refused_;  // no room, or no sandbox
  Histogram& seconds_;
};

// One more, for as long as it lives.
class Counted {
 public:
  explicit Counted(Gauge* gauge) noexcept : gauge_{gauge} {
    if (gauge_ != nullptr) gauge_->add(1);
  }
  ~Counted() {
    if (gauge_ != nullptr) gauge_->add(-1);
  }
  Counted(Counted const&) = delete;
  Counted& operator=(Counted const&) = delete;

 private:
  Gauge* gauge_;
};

}  // namespace sallyport::js
