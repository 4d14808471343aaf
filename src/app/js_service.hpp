// Scripts in a service: the engine, their runs, and the tools that clients see of them.
#pragma once

#include "src/app/script_world.hpp"
#include "src/config/settings.hpp"
#include "src/js/engine.hpp"
#include "src/mcp/registry.hpp"
#include "src/tools/run_js/run_js.hpp"

#include <memory>

namespace sallyport::app {

class JsService {
 public:
  struct Parts {
    std::unique_ptr<js::Engine> engine;
    tools::WorldFactory worlds;
  };

  // Nothing when scripts are off or cannot be run; the log then says why. Fails with the reason
  // when the settings insist on them. The arguments outlive the service.
  static Result<std::unique_ptr<JsService>> create(config::Settings const& settings,
                                                   ScriptWays ways);

  JsService(config::JsSettings const& settings, Parts parts);

  void add_tools(mcp::Registry::Builder& builder);

  js::Engine& engine() noexcept { return *parts_.engine; }
  tools::WorldFactory const& worlds() const noexcept { return parts_.worlds; }
  tools::RunJsOptions const& options() const noexcept { return options_; }

  // Once a second or so.
  void sweep() {
    executions_.remove_expired();
    parts_.engine->sweep();
  }
  // Ends every script. The engine has nothing to do afterwards.
  Task<void> stop() { return executions_.stop(); }

 private:
  tools::RunJsOptions options_;
  Parts parts_;
  tools::ExecutionStore executions_;
};

// Why scripts are off, or the parts that run them.
Result<JsService::Parts> make_js_parts(config::Settings const& settings, ScriptWays ways);

}  // namespace sallyport::app
