// One test case: a policy, a question, and what should come of it.
#pragma once

#include "src/rego/value.hpp"

#include <string>
#include <string_view>

namespace sallyport::rego_cases {

enum class Verdict { Passed, Failed, Skipped };

struct Report {
  Verdict verdict{Verdict::Failed};
  std::string came;  // instead of what was wanted
};

// How the engine is to work: the answers must be the same.
enum class Engine { Plain, Instrumented };

// `test_case` is one line of the file.
Report run_case(rego::Value test_case, Engine engine);

}  // namespace sallyport::rego_cases
