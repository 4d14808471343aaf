#include "src/app/rego_tools/test_result.hpp"

#include "src/app/rego_tools/text.hpp"
#include "src/base/base64.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

namespace sallyport::app::rego_tools {
namespace {

constexpr std::size_t kRuleWidth = 80;

std::string_view word_of(TestState state) {
  switch (state) {
    case TestState::Passed: return "PASS";
    case TestState::Failed: return "FAIL";
    case TestState::Skipped: return "SKIPPED";
    case TestState::Broken: return "ERROR";
  }
  return "";
}

std::string line_of(TestResult const& result) {
  auto const line = fmt::format("{}: {}", result.test.full_name(), word_of(result.state));
  if (result.state == TestState::Skipped) return line + "\n";
  return fmt::format("{} ({})\n", line, duration_text(result.took));
}

std::string two_spaces_in(std::string const& text) {
  std::istringstream lines{text};
  std::string out;
  for (std::string line; std::getline(lines, line);) out += "  " + line + "\n";
  return out;
}

std::string told(TestResult const& result) {
  auto text = fmt::format("{}:{}:\n", result.test.file, result.test.at.row) + line_of(result);
  if (!result.output.empty()) text += "\n" + two_spaces_in(result.output) + "\n";
  if (result.error) text += two_spaces_in(to_text(*result.error));
  return text;
}

std::string failures(std::vector<TestResult> const& results, std::string const& rule) {
  std::string text;
  for (auto const& result : results) {
    if (result.trace.empty()) continue;
    text += line_of(result) + "\n";
    for (auto const& line : result.trace) text += "  " + line + "\n";
    text += '\n';
  }
  return text.empty() ? text : rule + "FAILURES\n" + rule + text;
}

std::string counts(std::vector<TestResult> const& results) {
  std::string text;
  for (auto const state :
       {TestState::Passed, TestState::Failed, TestState::Skipped, TestState::Broken}) {
    auto const count = std::ranges::count(results, state, &TestResult::state);
    if (count > 0) text += fmt::format("{}: {}/{}\n", word_of(state), count, results.size());
  }
  return text;
}

std::string result_json(TestResult const& result) {
  auto text =
      fmt::format(R"({{"location":{},"package":{},"name":{},"duration":{})",
                  location_json(result.test.file, result.test.at), json_string(result.test.package),
                  json_string(result.test.name), result.took.count());
  if (result.state == TestState::Failed) text += ",\"fail\":true";
  if (result.state == TestState::Skipped) text += ",\"skip\":true";
  if (result.error) {
    text +=
        fmt::format(R"(,"error":{{"code":{},"message":{},"location":{}}})",
                    json_string(name_of(result.error->code)), json_string(result.error->message),
                    location_json(result.error->file, result.error->at));
  }
  if (!result.output.empty()) {
    text += ",\"output\":" + json_string(base64::encode(result.output));
  }
  return text + "}";
}

}  // namespace

bool all_passed(std::vector<TestResult> const& results) {
  return std::ranges::all_of(results, [](TestResult const& result) {
    return result.state == TestState::Passed || result.state == TestState::Skipped;
  });
}

std::string pretty_results(std::vector<TestResult> const& results, Detail detail) {
  auto const rule = std::string(kRuleWidth, '-') + "\n";
  std::string text;
  std::string_view file;
  for (auto const& result : results) {
    if (result.state == TestState::Passed && detail == Detail::FailuresOnly) continue;
    if (!file.empty() && file != result.test.file) text += '\n';
    file = result.test.file;
    text += told(result);
  }
  text += failures(results, rule);
  return text + (text.empty() ? "" : rule) + counts(results);
}

std::string results_json(std::vector<TestResult> const& results) {
  std::string list;
  for (auto const& result : results) list += (list.empty() ? "" : ",") + result_json(result);
  return "[" + list + "]";
}

}  // namespace sallyport::app::rego_tools
