// `sallyport policy fmt`: modules in one style.
#pragma once

#include "src/app/cli.hpp"

#include <string>
#include <vector>

namespace sallyport::app::rego_tools {

struct FmtRequest {
  std::vector<std::string> paths;  // none: standard input
  bool write{false};
  bool list{false};
  bool diff{false};
  bool fail{false};
  bool v0_compatible{false};
};

// Returns the exit code: 1 where something cannot be formatted, 2 where --fail finds a difference.
int run_fmt(FmtRequest const& request, Surroundings const& surroundings);

}  // namespace sallyport::app::rego_tools
