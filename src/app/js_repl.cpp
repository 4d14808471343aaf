#include "src/app/js_repl.hpp"

#include <ostream>
#include <utility>

namespace sallyport::app {
namespace {

constexpr std::string_view kReplHelp =
    "Write JavaScript; top-level await works. What is not complete goes on in the next line.\n"
    "  .exit   ends (also Ctrl+D)\n"
    "  .help   prints this\n"
    "Ctrl+C ends a script that runs, or forgets the lines written so far.\n";

// V8's words for a script that ends too early. It is not started then: nothing has happened yet.
bool needs_more(Result<js::RunOutcome> const& outcome) {
  if (!outcome || outcome->end != js::RunEnd::Threw || !outcome->error) return false;
  auto const& error = *outcome->error;
  return error.name == "SyntaxError" && (error.message == "Unexpected end of input" ||
                                         error.message == "Unterminated template literal" ||
                                         error.message == "missing ) after argument list");
}

}  // namespace

JsRepl::JsRepl(js::Engine& engine, MakeWorld make_world, js::Script pattern, ScriptStreams streams)
    : engine_{engine},
      make_world_{std::move(make_world)},
      pattern_{std::move(pattern)},
      streams_{streams} {}

JsRepl::Next JsRepl::interrupt() {
  bool const idle = pending_.empty();
  pending_.clear();
  streams_.out << '\n';
  if (idle && may_end_) return Next::End;
  if (idle) streams_.out << "(Ctrl+C again, Ctrl+D or .exit ends)\n";
  streams_.out << std::flush;
  may_end_ = idle;
  return Next::Line;
}

Task<JsRepl::Next> JsRepl::take(std::string line) {
  may_end_ = false;
  bool const insists = line.empty();
  if (pending_.empty()) {
    if (insists) co_return Next::Line;
    if (line == ".exit") co_return Next::End;
    if (line == ".help") {
      streams_.out << kReplHelp << std::flush;
      co_return Next::Line;
    }
  }
  pending_ += pending_.empty() ? line : "\n" + line;
  auto script = pattern_;
  script.code = pending_;
  auto const world = make_world_();
  ConsolePrinter printer{streams_};
  auto const outcome = co_await capture(engine_.run(std::move(script), *world, printer));
  if (needs_more(outcome) && !insists) co_return Next::Line;
  pending_.clear();
  report_outcome(outcome, streams_, PrintValue::Yes);
  co_return Next::Line;
}

}  // namespace sallyport::app
