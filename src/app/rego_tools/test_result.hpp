// What became of the tests, and how it is told.
#pragma once

#include "src/rego/diagnostic.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::app::rego_tools {

struct TestCase {
  std::string package;  // "data.mcp.fetch"
  std::string name;     // "test_allows_reading"
  std::string file;
  rego::Location at;

  std::string full_name() const { return package + "." + name; }
};

enum class TestState : std::uint8_t { Passed, Failed, Skipped, Broken };

struct TestResult {
  TestCase test;
  TestState state{TestState::Failed};
  std::chrono::nanoseconds took{};
  std::optional<rego::Diagnostic> error;  // of Broken
  std::string output;                     // what it printed
  std::vector<std::string> trace;         // of a failure, where somebody wants it
};

bool all_passed(std::vector<TestResult> const& results);

enum class Detail : std::uint8_t { FailuresOnly, Everything };
std::string pretty_results(std::vector<TestResult> const& results, Detail detail);
std::string results_json(std::vector<TestResult> const& results);

}  // namespace sallyport::app::rego_tools
