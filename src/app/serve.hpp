// `sallyport serve`: MCP over HTTP until a signal says stop.
#pragma once

#include "src/config/settings.hpp"

namespace sallyport::app {

// Returns the exit code of the program: 0 after an orderly stop, 2 when it could not start.
int run_serve(config::Settings const& settings);

}  // namespace sallyport::app
