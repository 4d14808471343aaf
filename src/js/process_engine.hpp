// The engine of the product: a child of `sallyport-js` for each run.
#pragma once

#include "src/js/engine.hpp"
#include "src/js/run_metrics.hpp"
#include "src/js/sessions.hpp"
#include "src/js/slots.hpp"
#include "src/js/zygote.hpp"

namespace sallyport::js {

class ProcessEngine final : public Engine {
 public:
  explicit ProcessEngine(EngineOptions options);

  Task<RunOutcome> run(Script script, World& world, ConsoleListener& console) override;
  void end_session(std::string_view session) override;
  void sweep() override;
  void measure(Metrics& metrics) override { metrics_.emplace(metrics); }

 private:
  // Gives a session back, also when its run is cancelled.
  class Lease;

  Task<RunOutcome> run_uncounted(Script script, World& world, ConsoleListener& console);
  Task<Slots::Slot> take_slot();
  void count_sessions();

  EngineOptions const options_;
  Zygote zygote_;
  Slots slots_;
  std::optional<RunMetrics> metrics_;
  Sessions sessions_;  // last: its children need the zygote
};

}  // namespace sallyport::js
