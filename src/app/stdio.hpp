// `sallyport stdio`: MCP on standard input and output until the input ends.
#pragma once

#include "src/config/settings.hpp"

namespace sallyport::app {

// Returns the exit code of the program.
int run_stdio(config::Settings const& settings);

}  // namespace sallyport::app
