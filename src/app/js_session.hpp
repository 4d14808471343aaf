// A service without a server: loops, road and engine, for scripts of the command line.
#pragma once

#include "src/app/js_repl.hpp"
#include "src/app/js_service.hpp"
#include "src/app/service_core.hpp"

#include <functional>
#include <memory>

namespace sallyport::app {

class JsSession {
 public:
  using MakeParts = std::function<Result<JsService::Parts>(config::Settings const&, ScriptWays)>;

  // Fails when scripts cannot be run here, and says why.
  static Result<std::unique_ptr<JsSession>> create(config::Settings const& settings,
                                                   ScriptStreams streams,
                                                   MakeParts const& make_parts = make_js_parts);

  // Both once. Ctrl+C ends the script. The exit code.
  int run(js::Script script, PrintValue print);
  int read_lines();

 private:
  JsSession(std::unique_ptr<ServiceCore> core, JsService& scripts, ScriptStreams streams);

  int drive(Task<int> task);
  Task<void> finish_with(Task<int> task);
  Task<int> run_one(js::Script script, PrintValue print);
  Task<int> run_lines();
  std::unique_ptr<js::World> make_world() const;

  std::unique_ptr<ServiceCore> core_;
  JsService& scripts_;
  ScriptStreams streams_;
  int code_{kScriptNotRun};
};

}  // namespace sallyport::app
