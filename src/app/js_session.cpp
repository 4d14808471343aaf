#include "src/app/js_session.hpp"

#include "src/app/product_registry.hpp"
#include "src/app/terminal_lines.hpp"
#include "src/base/random_id.hpp"

#include <fmt/format.h>

#include <ostream>
#include <utility>

namespace sallyport::app {

JsSession::JsSession(std::unique_ptr<ServiceCore> core, JsService& scripts, ScriptStreams streams)
    : core_{std::move(core)}, scripts_{scripts}, streams_{streams} {}

Result<std::unique_ptr<JsSession>> JsSession::create(config::Settings const& settings,
                                                     ScriptStreams streams,
                                                     MakeParts const& make_parts) {
  JsService* scripts = nullptr;
  auto const make_registry =
      [&](ServiceCore& core) -> Result<std::shared_ptr<mcp::Registry const>> {
    SP_TRY(auto parts, make_parts(settings, core.script_ways()));
    scripts = &core.run_scripts(settings, std::move(parts));
    return product_registry(settings, core.road());
  };
  SP_TRY(auto core, ServiceCore::create(settings, 1, make_registry));
  return std::unique_ptr<JsSession>{new JsSession{std::move(core), *scripts, streams}};
}

int JsSession::run(js::Script script, PrintValue print) {
  return drive(run_one(std::move(script), print));
}

int JsSession::read_lines() {
  return drive(run_lines());
}

int JsSession::drive(Task<int> task) {
  auto const loop = core_->loops().executor(0);
  TaskGroup group{loop, [](std::string_view, Error const&) {}};
  core_->start([&group] { group.stop(asio::cancellation_type::terminal); }, [] {});
  group.spawn("script", finish_with(std::move(task)));
  core_->loops().run();
  return code_;
}

Task<void> JsSession::finish_with(Task<int> task) {
  auto const code = co_await capture(std::move(task));
  code_ = code ? *code : kScriptNotRun;
  core_->finish();
  co_return Result<void>{};
}

Task<int> JsSession::run_one(js::Script script, PrintValue print) {
  script.limits = scripts_.options().limits;
  auto const world = make_world();
  co_return co_await run_script(scripts_.engine(), *world, std::move(script), streams_, print);
}

Task<int> JsSession::run_lines() {
  js::Script pattern{.name = "repl", .session = tools::session_key({}, random_id())};
  pattern.limits = scripts_.options().limits;
  JsRepl repl{scripts_.engine(), [this] { return make_world(); }, pattern, streams_};
  auto const executor = co_await asio::this_coro::executor;
  TerminalLines lines{executor};
  for (;;) {
    // Ctrl+C interrupts what is waited for at the moment, and no more.
    co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
    streams_.out << repl.prompt() << std::flush;
    auto line = co_await lines.next();
    if (!line && line.error().code == Errc::Cancelled) {
      if (repl.interrupt() == JsRepl::Next::End) break;
      continue;
    }
    if (!line) break;
    auto const next = co_await repl.take(std::move(*line));
    if (!next || *next == JsRepl::Next::End) break;
  }
  streams_.out << '\n' << std::flush;
  scripts_.engine().end_session(pattern.session);
  co_return kScriptCompleted;
}

std::unique_ptr<js::World> JsSession::make_world() const {
  RequestContext caller;
  caller.request_id = random_id();
  caller.client = "sallyport js";
  return scripts_.worlds()(caller, caller.request_id);
}

}  // namespace sallyport::app
