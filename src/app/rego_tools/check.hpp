// `sallyport policy check`: compiles and says what is wrong.
#pragma once

#include "src/app/cli.hpp"

#include <string>
#include <vector>

namespace sallyport::app::rego_tools {

struct ModuleCheckRequest {
  std::vector<std::string> paths;
  std::string format{"pretty"};
  bool strict{false};
  bool v0_compatible{false};
};

// Returns the exit code: 1 for errors.
int run_module_check(ModuleCheckRequest const& request, Surroundings const& surroundings);

}  // namespace sallyport::app::rego_tools
