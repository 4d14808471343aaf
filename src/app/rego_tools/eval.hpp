// `sallyport policy eval`: the answers of a query, as `opa eval` gives them.
#pragma once

#include "src/app/cli.hpp"

#include <string>
#include <vector>

namespace sallyport::app::rego_tools {

struct EvalRequest {
  std::vector<std::string> data;  // files and folders
  std::string input;              // file; "-": standard input; empty: none
  std::string format{"json"};
  std::string explain{"off"};
  std::string timeout{"10s"};
  std::string query;
  bool coverage{false};
  bool strict_builtin_errors{false};
  bool v0_compatible{false};
  bool fail{false};          // exit code 1 where it is undefined
  bool fail_defined{false};  // exit code 1 where it is not
};

// Returns the exit code: 2 for errors.
int run_eval(EvalRequest const& request, Surroundings const& surroundings);

}  // namespace sallyport::app::rego_tools
