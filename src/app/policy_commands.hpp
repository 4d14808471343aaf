// The commands for those who write policies: eval, test, check, fmt, bench, with the flags of
// OPA's.
#pragma once

#include "src/app/cli.hpp"
#include "src/app/rego_tools/bench.hpp"
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
  // Returns the group, for other commands about policies.
  CLI::App& add(CLI::App& root);
  bool parsed() const;

  // Returns the exit code.
  int run(Surroundings const& surroundings) const;

 private:
  void add_eval();
  void add_test();
  void add_check();
  void add_fmt();
  void add_bench();

  CLI::App* policy_{nullptr};
  CLI::App* eval_{nullptr};
  CLI::App* test_{nullptr};
  CLI::App* check_{nullptr};
  CLI::App* fmt_{nullptr};
  CLI::App* bench_{nullptr};

  // What was given.
  rego_tools::EvalRequest eval_request_;
  rego_tools::TestRequest test_request_;
  rego_tools::ModuleCheckRequest check_request_;
  rego_tools::FmtRequest fmt_request_;
  rego_tools::BenchRequest bench_request_;
};

}  // namespace sallyport::app
