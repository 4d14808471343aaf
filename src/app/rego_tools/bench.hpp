// `sallyport policy bench`: what one evaluation of a query costs on this machine.
#pragma once

#include "src/app/cli.hpp"

#include <string>
#include <vector>

namespace sallyport::app::rego_tools {

struct BenchRequest {
  std::vector<std::string> data;  // files and folders
  std::string input;              // file; "-": standard input; empty: none
  std::string format{"pretty"};
  std::string duration{"1s"};  // of each measurement
  std::string query;
  bool v0_compatible{false};
};

// Returns the exit code: 2 for errors.
int run_bench(BenchRequest const& request, Surroundings const& surroundings);

}  // namespace sallyport::app::rego_tools
