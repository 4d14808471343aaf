// The commands for those who write policies: eval, test, check, fmt, with the flags of OPA's.
#pragma once

#include "src/app/cli.hpp"
#include "src/app/rego_tools/check.hpp"
#include "src/app/rego_tools/eval.hpp"
#include "src/app/rego_tools/fmt.hpp"
#include "src/app/rego_tools/tests.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not our name
class App;
}

namespace sallyport::app {

class PolicyCommands {
 public:
  void add(CLI::App& root);
  bool parsed() const;

  // Returns the exit code.
  int run(Surroundings const& surroundings) const;

 private:
  void add_eval();
  void add_test();
  void add_check();
  void add_fmt();

  CLI::App* policy_{nullptr};
  CLI::App* eval_{nullptr};
  CLI::App* test_{nullptr};
  CLI::App* check_{nullptr};
  CLI::App* fmt_{nullptr};

  // What was given.
  rego_tools::EvalRequest eval_request_;
  rego_tools::TestRequest test_request_;
  rego_tools::ModuleCheckRequest check_request_;
  rego_tools::FmtRequest fmt_request_;
};

}  // namespace sallyport::app
