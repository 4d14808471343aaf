#include "src/app/rego_tools/tests.hpp"

#include "src/app/rego_tools/coverage_report.hpp"
#include "src/app/rego_tools/explain.hpp"
#include "src/app/rego_tools/files.hpp"
#include "src/app/rego_tools/limits.hpp"
#include "src/app/rego_tools/test_result.hpp"
#include "src/app/rego_tools/text.hpp"
#include "src/rego/json.hpp"
#include "src/rego/policy.hpp"
#include "src/rego/print.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <ostream>
#include <set>

namespace sallyport::app::rego_tools {
namespace {

constexpr std::string_view kTestPrefix = "test_";
constexpr std::string_view kSkippedPrefix = "todo_test_";

// Of all modules, in the order of the files; a rule with several bodies is one test.
std::vector<TestCase> tests_of(rego::Policy const& policy, std::string const& pattern) {
  std::vector<TestCase> tests;
  std::set<std::string> seen;
  re2::RE2 const wanted{pattern};
  for (auto const* module : policy.checked().modules) {
    auto const package = rego::to_text(*module->package);
    for (auto const* rule : module->rules) {
      auto const* head =
          rule->reference->items.empty() ? rule->reference : rule->reference->items[0];
      auto const name =
          head->kind == rego::ast::TermKind::Constant ? head->value.as_string() : head->name;
      if (rule->is_function || !(name.starts_with(kTestPrefix) || name.starts_with(kSkippedPrefix)))
        continue;
      TestCase test{package, std::string{name}, policy.sources()[module->file].name, rule->at};
      if (!re2::RE2::PartialMatch(test.full_name(), wanted)) continue;
      if (seen.insert(test.full_name()).second) tests.push_back(std::move(test));
    }
  }
  return tests;
}

class TestRun {
 public:
  TestRun(TestRequest const& request, std::shared_ptr<rego::Policy const> policy,
          rego::Limits const& limits)
      : request_{request}, policy_{std::move(policy)}, limits_{limits} {}

  TestResult run(TestCase const& test);
  rego::Coverage const& coverage() const noexcept { return coverage_; }

 private:
  rego::Evaluation::Outcome evaluate(rego::Query const& query, rego::Host& host,
                                     rego::Observer& observer);
  void explain(rego::Query const& query, TestResult& result);

  TestRequest const& request_;
  std::shared_ptr<rego::Policy const> policy_;
  rego::Limits limits_;
  rego::Evaluation evaluation_;
  rego::Coverage coverage_;
};

rego::Evaluation::Outcome TestRun::evaluate(rego::Query const& query, rego::Host& host,
                                            rego::Observer& observer) {
  return evaluation_.value_of(query, {}, {.limits = limits_, .host = &host, .observer = &observer});
}

// A second evaluation, so that the first, whose time is told, does not carry the weight of it.
void TestRun::explain(rego::Query const& query, TestResult& result) {
  Explainer explainer{Explain::Fails};
  evaluate(query, explainer, explainer);
  result.trace = explainer.lines(policy_->sources(), result.test.full_name());
}

TestResult TestRun::run(TestCase const& test) {
  TestResult result{.test = test};
  if (test.name.starts_with(kSkippedPrefix)) {
    result.state = TestState::Skipped;
    return result;
  }
  auto const entry = rego::compile_entry(policy_, test.full_name());
  if (entry.query == nullptr) {
    result.state = TestState::Broken;
    result.error = entry.errors.front();
    return result;
  }
  Explainer host{Explain::Off};
  auto const start = std::chrono::steady_clock::now();
  auto const outcome = evaluate(*entry.query, host, coverage_);
  result.took = std::chrono::steady_clock::now() - start;
  result.output = host.printed();
  result.error = outcome.error;
  result.state = outcome.error             ? TestState::Broken
                 : outcome.value.is_true() ? TestState::Passed
                                           : TestState::Failed;
  if (result.state == TestState::Failed && outcome.value.is_defined() &&
      !outcome.value.is(rego::Kind::Boolean)) {
    result.output += fmt::format("its value is {}, not true\n", rego::to_json(outcome.value));
  }
  if (result.state == TestState::Failed && request_.verbose) explain(*entry.query, result);
  return result;
}

int tell_coverage(TestRequest const& request, CoverageReport const& report,
                  Surroundings const& surroundings) {
  if (request.coverage) {
    surroundings.out << (request.format == "json" ? indented(coverage_json(report)) + "\n"
                                                  : coverage_text(report));
  }
  if (!request.threshold || report.percent() >= *request.threshold) return 0;
  surroundings.err << fmt::format(
      "coverage is {} %, less than the {} % that --threshold asks for\n", report.percent(),
      *request.threshold);
  return 2;
}

int run_all(TestRequest const& request, std::shared_ptr<rego::Policy const> const& policy,
            rego::Limits const& limits, Surroundings const& surroundings) {
  auto const tests = tests_of(*policy, request.run);
  if (tests.empty()) {
    surroundings.err << "sallyport policy test: no rule whose name starts with test_"
                     << (request.run.empty() ? "" : " and has what --run asks for") << '\n';
    return 1;
  }
  TestRun run{request, policy, limits};
  std::vector<TestResult> results;
  results.reserve(tests.size());
  for (auto const& test : tests) results.push_back(run.run(test));
  bool const passed = all_passed(results);
  auto const detail = request.verbose ? Detail::Everything : Detail::FailuresOnly;
  bool const json = request.format == "json";
  // With coverage, JSON is the coverage alone, as OPA gives it; failures must still be seen.
  if (json && request.coverage) {
    if (!passed) surroundings.err << pretty_results(results, detail);
  } else {
    surroundings.out << (json ? indented(results_json(results)) + "\n"
                              : pretty_results(results, detail));
  }
  int code = passed ? 0 : 2;
  if (request.coverage || request.threshold) {
    code = std::max(code,
                    tell_coverage(request, coverage_report(run.coverage(), *policy), surroundings));
  }
  return code;
}

}  // namespace

int run_tests(TestRequest const& request, Surroundings const& surroundings) {
  auto const refuse = [&](std::string const& message) {
    surroundings.err << "sallyport policy test: " << message << '\n';
    return 1;
  };
  auto const limits = generous_limits(request.timeout);
  if (!limits) return refuse(limits.error().message);
  re2::RE2 const pattern{request.run, re2::RE2::Quiet};
  if (!pattern.ok()) return refuse("--run: " + pattern.error());
  auto const files = read_files(request.paths, Wanted::ModulesAndData);
  if (!files) return refuse(files.error().message);
  rego::CompileOptions options;
  options.syntax = request.v0_compatible ? rego::Syntax::V0 : rego::Syntax::V1;
  options.instrument = request.verbose || request.coverage || request.threshold.has_value();
  auto const compiled = rego::compile(files->modules, options, files->data);
  if (!compiled) {
    surroundings.err << errors_text(compiled.errors, files->modules);
    return 1;
  }
  return run_all(request, compiled.policy, *limits, surroundings);
}

}  // namespace sallyport::app::rego_tools
