// The one place where the product's engine for scripts is chosen, and what its scripts can reach.
#pragma once

#include "src/base/event_loops.hpp"
#include "src/base/metrics.hpp"
#include "src/config/settings.hpp"
#include "src/js/engine.hpp"
#include "src/pipeline/road.hpp"
#include "src/tools/run_js/run_js.hpp"

#include <memory>

namespace sallyport::app {

// Fails when scripts cannot be run here, and says why. `options.program` is a program; the loops
// and the metrics outlive the engine.
Result<std::unique_ptr<js::Engine>> make_js_engine(js::EngineOptions options, EventLoops& loops,
                                                   Metrics& metrics);

// `road` outlives every world.
tools::WorldFactory make_js_worlds(config::Settings const& settings, pipeline::Road& road);

}  // namespace sallyport::app
