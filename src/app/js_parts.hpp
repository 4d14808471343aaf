// The one place where the product's engine for scripts is chosen, and what its scripts can reach.
#pragma once

#include "src/app/script_world.hpp"
#include "src/config/settings.hpp"
#include "src/js/engine.hpp"
#include "src/tools/run_js/run_js.hpp"

#include <memory>

namespace sallyport::app {

// `options.program` is a program.
std::unique_ptr<js::Engine> make_js_engine(js::EngineOptions options);

tools::WorldFactory make_js_worlds(config::Settings const& settings, ScriptWays ways);

}  // namespace sallyport::app
