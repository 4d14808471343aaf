#include "src/js/run_metrics.hpp"

#include <chrono>
#include <string_view>

namespace sallyport::js {
namespace {

std::string_view name_of(RunEnd end) {
  switch (end) {
    case RunEnd::Completed: return "completed";
    case RunEnd::Threw: return "threw";
    case RunEnd::TimedOut: return "timed_out";
    case RunEnd::CpuExhausted: return "cpu_exhausted";
    case RunEnd::OutOfMemory: return "out_of_memory";
    case RunEnd::OutputExceeded: return "output_exceeded";
    case RunEnd::Crashed: return "crashed";
  }
  return {};
}

Counter& runs_that_ended(Metrics& metrics, std::string_view how) {
  return metrics.counter("sallyport_js_runs_total", "Scripts, by how they ended.",
                         metric_label("end", how));
}

}  // namespace

RunMetrics::RunMetrics(Metrics& metrics)
    : queued{metrics.gauge("sallyport_js_queued", "Scripts that wait for others to end.")},
      running{metrics.gauge("sallyport_js_running", "Scripts that run.")},
      sessions{metrics.gauge("sallyport_js_sessions", "Sessions, those that wait included.")},
      cancelled_{runs_that_ended(metrics, "cancelled")},
      refused_{runs_that_ended(metrics, "refused")},
      seconds_{metrics.histogram("sallyport_js_run_seconds",
                                 "Time that scripts ran, the queue not included.")} {
  for (std::size_t i = 0; i < kEnds; ++i) {
    ends_[i] = &runs_that_ended(metrics, name_of(static_cast<RunEnd>(i)));
  }
}

void RunMetrics::count(Result<RunOutcome> const& outcome) noexcept {
  if (outcome) {
    ends_[static_cast<std::size_t>(outcome->end)]->add();
    seconds_.observe(std::chrono::duration<double>(outcome->wall).count());
    return;
  }
  (outcome.error().code == Errc::Cancelled ? cancelled_ : refused_).add();
}

}  // namespace sallyport::js
