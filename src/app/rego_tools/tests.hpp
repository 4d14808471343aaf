// `sallyport policy test`: runs the rules whose names start with `test_`, as `opa test` does.
#pragma once

#include "src/app/cli.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sallyport::app::rego_tools {

struct TestRequest {
  std::vector<std::string> paths;
  std::string run;  // only tests whose full name has this regular expression
  std::string format{"pretty"};
  std::string timeout{"5s"};  // of each test
  std::optional<double> threshold;
  bool verbose{false};
  bool coverage{false};
  bool v0_compatible{false};
};

// Returns the exit code: 2 where a test fails, 1 where none could be run.
int run_tests(TestRequest const& request, Surroundings const& surroundings);

}  // namespace sallyport::app::rego_tools
