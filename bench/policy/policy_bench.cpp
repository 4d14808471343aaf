// What a decision costs. See README.md.
//
//   policy_bench SECONDS FOLDER…
//   policy_bench probes             policies that would use up a machine: probes.hpp
//
// A folder holds `policy/*.rego`, maybe `policy/data.json`, and the inputs `allow.json` and
// `deny.json`. Prints a line of JSON for each input, and one for each number of threads.
#include "src/rego/json.hpp"
#include "src/rego/rego.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/policy/allocations.hpp"
#include "bench/policy/probes.hpp"
#include "bench/policy/timing.hpp"

namespace sallyport::bench {
namespace {

using rego::Arena;
using rego::Evaluation;
using rego::Query;
using rego::Value;
namespace fs = std::filesystem;

constexpr std::string_view kEntry = "data.mcp.fetch.allow";

std::string read(fs::path const& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

struct Loaded {
  std::vector<rego::Source> sources;
  Arena arena;
  Value data;
};

bool load(fs::path const& folder, Loaded& loaded) {
  std::error_code missing;
  for (auto const& entry : fs::directory_iterator{folder / "policy", missing}) {
    if (entry.path().extension() == ".rego") {
      loaded.sources.push_back({entry.path().filename().string(), read(entry.path())});
    } else if (entry.path().filename() == "data.json") {
      auto const data = parse_json(read(entry.path()), loaded.arena);
      if (!data) return false;
      loaded.data = *data;
    }
  }
  return !loaded.sources.empty();
}

std::shared_ptr<Query const> compiled(Loaded const& loaded, std::string const& name) {
  auto const policy = compile(loaded.sources, {}, loaded.data);
  if (!policy) {
    fmt::print(stderr, "{}: {}\n", name, to_text(policy.errors.front()));
    return nullptr;
  }
  auto entry = compile_entry(policy.policy, kEntry);
  if (!entry.query) fmt::print(stderr, "{}: {}\n", name, to_text(entry.errors.front()));
  return entry.query;
}

// Of many, so that what happens now and then is seen, too.
template <class Work>
double allocations_of(Work const& work) {
  constexpr int kRounds = 1000;
  work();
  auto const before = allocations();
  for (int i = 0; i < kRounds; ++i) work();
  return static_cast<double>(allocations() - before) / kRounds;
}

std::string to_json(Timing const& timing) {
  return fmt::format(R"({{"mean_us":{:.4f},"p50_us":{:.4f},"p99_us":{:.4f}}})", timing.mean_us,
                     timing.p50_us, timing.p99_us);
}

bool measure_input(double seconds, std::string const& name, std::string const& input_name,
                   std::string const& text, Query const& entry, double load_ms) {
  Arena arena;
  auto const input = parse_json(text, arena);
  if (!input) {
    fmt::print(stderr, "{}/{}.json: {}\n", name, input_name, input.error().message);
    return false;
  }
  Evaluation evaluation;
  auto const outcome = evaluation.value_of(entry, *input, {});
  if (outcome.error) {
    fmt::print(stderr, "{}/{}: {}\n", name, input_name, outcome.error->message);
    return false;
  }
  auto const allowed = outcome.value.is_true();
  auto const from_parsed = [&] { (void)evaluation.value_of(entry, *input, {}); };
  auto const from_text = [&] {
    auto const value = parse_json(text, evaluation.arena());
    (void)evaluation.value_of(entry, *value, {});
  };
  fmt::print(R"({{"policy":"{}","input":"{}","allowed":{},"load_ms":{:.3f},"allocations":{:.3f},)"
             R"("text_allocations":{:.3f},"parsed":{},"from_text":{}}})"
             "\n",
             name, input_name, allowed, load_ms, allocations_of(from_parsed),
             allocations_of(from_text), to_json(measure(seconds, from_parsed)),
             to_json(measure(seconds, from_text)));
  std::fflush(stdout);
  return true;
}

// Evaluations per second, all threads together, of the time in which each had a core. Each has an
// evaluation of its own; the policy is shared.
double rate_of_threads(Query const& entry, std::string const& text, int threads, double seconds) {
  constexpr int kBetweenLooks = 64;
  std::atomic<bool> begin{false};
  std::atomic<bool> end{false};
  std::atomic<double> total{0};
  auto const work = [&] {
    Arena arena;
    auto const input = parse_json(text, arena);
    Evaluation evaluation;
    double done = 0;
    while (!begin) std::this_thread::yield();
    auto const begun = clock_seconds() - waited_seconds();
    while (!end) {
      for (int i = 0; i < kBetweenLooks; ++i) (void)evaluation.value_of(entry, *input, {});
      done += kBetweenLooks;
    }
    total += done / (clock_seconds() - waited_seconds() - begun);
  };
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back(work);
  begin = true;
  std::this_thread::sleep_for(std::chrono::duration<double>{seconds});
  end = true;
  running.clear();
  return total;
}

bool measure_folder(fs::path const& folder, double seconds) {
  auto const name = folder.filename().string();
  Loaded loaded;
  if (!load(folder, loaded)) {
    fmt::print(stderr, "{}: no policy can be read\n", name);
    return false;
  }
  auto const entry = compiled(loaded, name);
  if (!entry) return false;
  auto const load_us = mean_us(seconds, [&] { (void)compiled(loaded, name); });
  for (std::string const input : {"allow", "deny"}) {
    auto const text = read(folder / (input + ".json"));
    if (!measure_input(seconds, name, input, text, *entry, load_us / 1000)) return false;
  }
  auto const text = read(folder / "allow.json");
  for (int const threads : {1, 2}) {
    fmt::print(R"({{"policy":"{}","threads":{},"per_second":{:.0f}}})"
               "\n",
               name, threads, rate_of_threads(*entry, text, threads, seconds));
  }
  return true;
}

}  // namespace
}  // namespace sallyport::bench

int main(int count, char** words) {
  if (count == 2 && std::string_view{words[1]} == "probes") {
    return sallyport::bench::run_probes() ? 0 : 1;
  }
  auto const seconds = count > 2 ? std::strtod(words[1], nullptr) : 0;
  if (seconds <= 0) {
    fmt::print(stderr, "usage: policy_bench SECONDS FOLDER... | policy_bench probes\n");
    return 2;
  }
  bool good = true;
  for (int i = 2; i < count; ++i) {
    good = sallyport::bench::measure_folder(words[i], seconds) && good;
  }
  return good ? 0 : 1;
}
