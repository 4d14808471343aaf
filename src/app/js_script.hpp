// A script on the command line: what it writes goes to the terminal as it is written.
#pragma once

#include "src/js/engine.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::app {

// Exit codes of `sallyport js`.
inline constexpr int kScriptCompleted = 0;
inline constexpr int kScriptFailed = 1;       // it threw, or met a limit
inline constexpr int kScriptNotRun = 2;       // as kUsageError
inline constexpr int kScriptCancelled = 130;  // as of a shell, after Ctrl+C

struct ScriptStreams {
  std::ostream& out;
  std::ostream& err;
};

// console.warn() and console.error() go to `err`, the rest to `out`.
class ConsolePrinter final : public js::ConsoleListener {
 public:
  explicit ConsolePrinter(ScriptStreams streams) : streams_{streams} {}

  void wrote(std::string_view level, std::string_view text) override;

 private:
  ScriptStreams streams_;
};

enum class PrintValue { No, Yes };

// Runs the script to its end, and says on `err` what went wrong. Gives the exit code. `engine` and
// `world` must outlive the task.
Task<int> run_script(js::Engine& engine, js::World& world, js::Script script, ScriptStreams streams,
                     PrintValue print);

// The same, taken apart.
int report_outcome(Result<js::RunOutcome> const& outcome, ScriptStreams streams, PrintValue print);

}  // namespace sallyport::app
