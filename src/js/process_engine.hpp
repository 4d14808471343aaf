// The engine of the product: a child of `sallyport-js` for each run.
#pragma once

#include "src/js/engine.hpp"
#include "src/js/sessions.hpp"
#include "src/js/slots.hpp"
#include "src/js/zygote.hpp"

namespace sallyport::js {

class ProcessEngine final : public Engine {
 public:
  explicit ProcessEngine(EngineOptions options);

  Task<RunOutcome> run(Script script, World& world, ConsoleListener& console) override;
  void end_session(std::string_view session) override { sessions_.end(session); }
  void sweep() override { sessions_.sweep(Clock::now()); }

 private:
  // Gives a session back, also when its run is cancelled.
  class Lease;

  EngineOptions const options_;
  Zygote zygote_;
  Slots slots_;
  Sessions sessions_;  // last: its children need the zygote
};

}  // namespace sallyport::js
