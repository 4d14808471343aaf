#include "src/app/js_script.hpp"

#include "src/json/write.hpp"

#include <ostream>
#include <utility>

namespace sallyport::app {

void ConsolePrinter::wrote(std::string_view level, std::string_view text) {
  auto& stream = level == "warn" || level == "error" ? streams_.err : streams_.out;
  // Flushed: both may lead to the same terminal, and the order is the script's.
  stream << text << '\n' << std::flush;
}

int report_outcome(Result<js::RunOutcome> const& outcome, ScriptStreams streams, PrintValue print) {
  if (!outcome) {
    bool const cancelled = outcome.error().code == Errc::Cancelled;
    streams.err << "sallyport: "
                << (cancelled ? "The script was cancelled." : outcome.error().message) << '\n';
    return cancelled ? kScriptCancelled : kScriptNotRun;
  }
  if (outcome->end == js::RunEnd::Completed) {
    if (print == PrintValue::Yes && outcome->value) {
      streams.out << json::to_text(*outcome->value) << '\n' << std::flush;
    }
    return kScriptCompleted;
  }
  auto const error = outcome->error.value_or(js::ScriptError{"Error", "The script failed.", {}});
  auto const first = error.name + ": " + error.message;
  // Engines put name and message before the stack; once is enough.
  if (!error.stack.starts_with(first)) streams.err << first << '\n';
  if (!error.stack.empty()) streams.err << error.stack << '\n';
  return kScriptFailed;
}

Task<int> run_script(js::Engine& engine, js::World& world, js::Script script, ScriptStreams streams,
                     PrintValue print) {
  ConsolePrinter printer{streams};
  auto const outcome = co_await capture(engine.run(std::move(script), world, printer));
  co_return report_outcome(outcome, streams, print);
}

}  // namespace sallyport::app
