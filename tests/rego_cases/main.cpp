// See README.md.
#include "src/rego/json.hpp"

#include "tests/rego_cases/case.hpp"

#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace rego = sallyport::rego;
namespace rego_cases = sallyport::rego_cases;
using rego_cases::Verdict;

constexpr std::string_view kUsage =
    "usage: rego_cases [--only TEXT] [--verbose] [--instrument] FILE.jsonl...\n"
    "Runs Rego test cases, one JSON object per line, and lists those that fail.\n"
    "  --only TEXT  only cases whose note contains TEXT\n"
    "  --verbose    also list those that pass or are skipped\n"
    "  --instrument compile for coverage, where nothing is computed at load\n";

struct Arguments {
  std::vector<std::string> files;
  std::string only;
  bool verbose{false};
  rego_cases::Engine engine{rego_cases::Engine::Plain};
  bool help{false};
  bool valid{true};
};

Arguments read(std::vector<std::string_view> const& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--help") {
      arguments.help = true;
    } else if (words[i] == "--verbose") {
      arguments.verbose = true;
    } else if (words[i] == "--instrument") {
      arguments.engine = rego_cases::Engine::Instrumented;
    } else if (words[i] == "--only" && i + 1 < words.size()) {
      arguments.only = words[++i];
    } else if (words[i].starts_with("--")) {
      arguments.valid = false;
    } else {
      arguments.files.emplace_back(words[i]);
    }
  }
  arguments.valid = arguments.valid && (arguments.help || !arguments.files.empty());
  return arguments;
}

struct Tally {
  int passed{0};
  int failed{0};
  int skipped{0};
};

void run_line(std::string const& line, Arguments const& arguments, Tally& tally) {
  rego::Arena arena;
  auto const test_case = rego::parse_json(line, arena);
  if (!test_case) {
    ++tally.failed;
    std::cout << "FAILED a line that is not JSON: " << test_case.error().message << '\n';
    return;
  }
  auto const note = rego::get(*test_case, "note");
  std::string const name{note.is(rego::Kind::String) ? note.as_string() : "(no note)"};
  if (name.find(arguments.only) == std::string::npos) return;
  auto const report = rego_cases::run_case(*test_case, arguments.engine);
  switch (report.verdict) {
    case Verdict::Passed:
      ++tally.passed;
      if (arguments.verbose) std::cout << "passed " << name << '\n';
      return;
    case Verdict::Skipped:
      ++tally.skipped;
      if (arguments.verbose) std::cout << "skipped " << name << '\n';
      return;
    case Verdict::Failed:
      ++tally.failed;
      std::cout << "FAILED " << name << "\n  came: " << report.came << '\n' << std::flush;
  }
}

}  // namespace

int main(int argc, char** argv) {
  auto const arguments = read({argv + 1, argv + argc});
  if (!arguments.valid || arguments.help) {
    (arguments.valid ? std::cout : std::cerr) << kUsage;
    return arguments.valid ? 0 : 2;
  }
  Tally tally;
  for (auto const& name : arguments.files) {
    std::ifstream file{name};
    if (!file) {
      std::cerr << "rego_cases: cannot read " << name << '\n';
      return 2;
    }
    for (std::string line; std::getline(file, line);) {
      if (!line.empty()) run_line(line, arguments, tally);
    }
  }
  std::cout << tally.passed << " passed, " << tally.failed << " failed, " << tally.skipped
            << " skipped\n";
  return tally.failed == 0 ? 0 : 1;
}
