// One run of a script in a child: speaks its frames, serves its calls, keeps it within its limits.
#pragma once

#include "src/base/task_group.hpp"
#include "src/js/engine.hpp"
#include "src/js/run_socket.hpp"
#include "src/js/script_call.hpp"
#include "src/js/zygote.hpp"

#include <map>
#include <memory>
#include <string>

namespace sallyport::js {

class ScriptRun {
 public:
  // All of them outlive it.
  ScriptRun(Executor executor, Script const& script, Child& child, World& world,
            ConsoleListener& console);

  // Fails with Cancelled. When it returns, no call is under way any more; the child has ended
  // unless the run was Completed or Threw and it belongs to a session.
  Task<RunOutcome> run();

 private:
  struct Underway {
    std::unique_ptr<ScriptCall> call;
    TaskGroup::Child task;
  };

  Task<RunOutcome> talk();
  // The outcome, when the frame was the last one.
  std::optional<RunOutcome> take(Frame frame);
  std::optional<RunOutcome> write_console(std::string const& payload);
  void start_call(Frame const& frame);
  Task<void> serve_call(std::uint32_t id);
  RunOutcome done(std::string const& payload) const;
  Task<RunOutcome> end_of_child();
  Async<void> wind_up();
  void send_run();

  Script const& script_;
  Child& child_;
  World& world_;
  ConsoleListener& console_;
  Executor executor_;
  RunSocket socket_;
  CallShare share_;
  TaskGroup tasks_;
  std::map<std::uint32_t, Underway> calls_;
  std::size_t calls_made_{0};
  std::size_t output_left_;
};

}  // namespace sallyport::js
