// See README.md.
#include "src/rego/json.hpp"
#include "src/rego/rego.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using sallyport::rego::Arena;
using sallyport::rego::Evaluation;
using sallyport::rego::Query;
using sallyport::rego::Source;
using sallyport::rego::Value;
namespace fs = std::filesystem;

std::string read(fs::path const& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Microseconds for one of `work`, best of five rounds of about 40 ms.
template <class Work>
double microseconds(Work work) {
  double best = 1e9;
  long count = 1;
  for (int round = 0; round < 5;) {
    auto const before = cpu_seconds();
    for (long i = 0; i < count; ++i) work();
    auto const took = cpu_seconds() - before;
    if (took < 0.02) {
      count *= 4;
      continue;
    }
    best = std::min(best, took / static_cast<double>(count) * 1e6);
    ++round;
  }
  return best;
}

struct Loaded {
  std::vector<Source> sources;
  Arena arena;
  Value data;
};

Loaded load(fs::path const& folder) {
  Loaded loaded;
  for (auto const& entry : fs::directory_iterator{folder / "policy"}) {
    if (entry.path().extension() == ".rego") {
      loaded.sources.push_back({entry.path().filename().string(), read(entry.path())});
    } else if (entry.path().filename() == "data.json") {
      loaded.data = *parse_json(read(entry.path()), loaded.arena);
    }
  }
  return loaded;
}

void measure_input(fs::path const& path, Query const& entry) {
  auto const text = read(path);
  Arena arena;
  auto const input = *parse_json(text, arena);
  Evaluation evaluation;
  auto const outcome = evaluation.value_of(entry, input, {});
  auto const parsed = microseconds([&] { (void)evaluation.value_of(entry, input, {}); });
  auto const from_text = microseconds([&] {
    auto const value = *parse_json(text, evaluation.arena());
    (void)evaluation.value_of(entry, value, {});
  });
  auto const said = outcome.error ? outcome.error->message : to_json(outcome.value);
  std::printf("  %-12s %9.3f us  from text %9.3f us  (%s)\n", path.stem().c_str(), parsed,
              from_text, said.c_str());
}

bool measure(fs::path const& folder) {
  auto const loaded = load(folder);
  auto const compiled = compile(loaded.sources, {}, loaded.data);
  if (!compiled) {
    std::cerr << to_text(compiled.errors.front()) << '\n';
    return false;
  }
  auto const entry = compile_entry(compiled.policy, "data.mcp.fetch.allow");
  if (!entry.query) {
    std::cerr << to_text(entry.errors.front()) << '\n';
    return false;
  }
  auto const load_time = microseconds([&] { (void)compile(loaded.sources, {}, loaded.data); });
  std::printf("%s: load %.2f ms\n", folder.filename().c_str(), load_time / 1000);
  for (auto const& file : fs::directory_iterator{folder}) {
    if (file.path().extension() == ".json") measure_input(file.path(), *entry.query);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bool good = argc > 1;
  for (int i = 1; i < argc; ++i) good = measure(argv[i]) && good;
  if (argc < 2) std::cerr << "usage: rego_bench FOLDER...\n";
  return good ? 0 : 1;
}
