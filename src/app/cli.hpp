// The command line: finds the command, gathers its settings, runs it.
#pragma once

#include "src/config/load.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace sallyport::app {

// A command was used wrongly, or the settings are not good: nothing was started.
inline constexpr int kUsageError = 2;

// What a command may touch of the process it runs in.
struct Surroundings {
  config::Variables environment;
  std::ostream& out;
  std::ostream& err;
};

// `arguments` without the name of the program. Returns the exit code.
int run(std::vector<std::string> const& arguments, Surroundings const& surroundings);

}  // namespace sallyport::app
