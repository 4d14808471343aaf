#include "src/app/rego_tools/bench.hpp"

#include "src/app/rego_tools/files.hpp"
#include "src/app/rego_tools/text.hpp"
#include "src/config/units.hpp"
#include "src/rego/json.hpp"
#include "src/rego/policy.hpp"
#include "src/rego/yaml_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <utility>

namespace sallyport::app::rego_tools {
namespace {

using std::chrono::nanoseconds;
using Stopwatch = std::chrono::steady_clock;

struct Measured {
  std::size_t evaluations{0};
  nanoseconds mean{};
  nanoseconds p50{};
  nanoseconds p90{};
  nanoseconds p99{};
  nanoseconds longest{};
};

// The first tenth of the time warms the caches and is not counted.
template <class Work>
Measured measure(nanoseconds time, Work const& work) {
  constexpr std::size_t kMostSamples = 4'000'000;
  auto const warm_at = Stopwatch::now() + time / 10;
  do {
    work();
  } while (Stopwatch::now() < warm_at);
  std::vector<nanoseconds> samples;
  auto const begun = Stopwatch::now();
  auto last = begun;
  do {
    work();
    auto const now = Stopwatch::now();
    samples.push_back(now - std::exchange(last, now));
  } while (last - begun < time && samples.size() < kMostSamples);
  std::ranges::sort(samples);
  auto const at = [&](std::size_t percent) {
    return samples[(samples.size() - 1) * percent / 100];
  };
  return {.evaluations = samples.size(),
          .mean = (last - begun) / static_cast<std::int64_t>(samples.size()),
          .p50 = at(50),
          .p90 = at(90),
          .p99 = at(99),
          .longest = samples.back()};
}

// One way to evaluate: the reference to a rule has a faster one than any other query.
class Subject {
 public:
  Subject(rego::Query const& query, bool is_entry) : query_{query}, is_entry_{is_entry} {}

  std::optional<rego::Diagnostic> evaluate(rego::Value input) {
    if (is_entry_) return evaluation_.value_of(query_, input, {}).error;
    return evaluation_.answers_of(query_, input, {}).error;
  }
  rego::Arena& arena() { return evaluation_.arena(); }

 private:
  rego::Query const& query_;
  bool is_entry_;
  rego::Evaluation evaluation_;
};

std::string measured_json(Measured const& measured) {
  return fmt::format(
      R"({{"evaluations":{},"ns_per_op":{},"p50_ns":{},"p90_ns":{},"p99_ns":{},"longest_ns":{}}})",
      measured.evaluations, measured.mean.count(), measured.p50.count(), measured.p90.count(),
      measured.p99.count(), measured.longest.count());
}

double per_second(Measured const& measured) {
  return 1e9 / static_cast<double>(std::max<std::int64_t>(measured.mean.count(), 1));
}

class Bench {
 public:
  Bench(BenchRequest const& request, Surroundings const& surroundings)
      : request_{request}, surroundings_{surroundings} {}

  int run();

 private:
  int refuse(std::string const& message) const;
  Result<rego::Value> parse(rego::Arena& arena) const;
  int measure_query(rego::Query const& query, bool is_entry) const;
  void print(Measured const& parsed, Measured const& from_text) const;

  BenchRequest const& request_;
  Surroundings const& surroundings_;
  nanoseconds duration_{};
  std::string input_;
};

int Bench::refuse(std::string const& message) const {
  surroundings_.err << "sallyport policy bench: " << message << '\n';
  return 2;
}

Result<rego::Value> Bench::parse(rego::Arena& arena) const {
  if (input_.empty()) return rego::Value{};
  bool const is_yaml = request_.input.ends_with(".yaml") || request_.input.ends_with(".yml");
  auto value = is_yaml ? rego::parse_yaml(input_, arena) : rego::parse_json(input_, arena);
  if (!value) return fail(Errc::InvalidInput, request_.input + ": " + value.error().message);
  return *value;
}

void Bench::print(Measured const& parsed, Measured const& from_text) const {
  auto& out = surroundings_.out;
  if (request_.format == "json") {
    out << indented(fmt::format(R"({{"parsed_input":{},"from_text":{}}})", measured_json(parsed),
                                measured_json(from_text)))
        << '\n';
    return;
  }
  auto const line = [&](char const* name, std::string const& left, std::string const& right) {
    out << fmt::format("{:<14}{:>14}{:>14}\n", name, left, right);
  };
  auto const times = [&](char const* name, nanoseconds Measured::* member) {
    line(name, duration_text(parsed.*member), duration_text(from_text.*member));
  };
  line("", "parsed input", "from text");
  line("evaluations", std::to_string(parsed.evaluations), std::to_string(from_text.evaluations));
  line("per second", fmt::format("{:.0f}", per_second(parsed)),
       fmt::format("{:.0f}", per_second(from_text)));
  times("mean", &Measured::mean);
  times("p50", &Measured::p50);
  times("p90", &Measured::p90);
  times("p99", &Measured::p99);
  times("longest", &Measured::longest);
}

int Bench::measure_query(rego::Query const& query, bool is_entry) const {
  Subject subject{query, is_entry};
  rego::Arena arena;
  auto const input = parse(arena);
  if (!input) return refuse(input.error().message);
  if (auto const error = subject.evaluate(*input)) return refuse(to_text(*error));
  auto const parsed = measure(duration_, [&] { static_cast<void>(subject.evaluate(*input)); });
  auto const from_text = measure(duration_, [&] {
    static_cast<void>(subject.evaluate(*parse(subject.arena())));  // it could be parsed before
  });
  print(parsed, from_text);
  return 0;
}

int Bench::run() {
  auto const duration = config::parse_duration(request_.duration);
  if (!duration) return refuse("--duration: " + duration.error().message);
  if (duration->count() <= 0) return refuse("--duration: must be more than 0");
  duration_ = *duration;
  auto const files = read_files(request_.data, Wanted::ModulesAndData);
  if (!files) return refuse(files.error().message);
  if (!request_.input.empty()) {
    auto text = read_text(request_.input);
    if (!text) return refuse(text.error().message);
    input_ = *std::move(text);
  }
  rego::CompileOptions options;
  options.syntax = request_.v0_compatible ? rego::Syntax::V0 : rego::Syntax::V1;
  auto const compiled = rego::compile(files->modules, options, files->data);
  if (!compiled) {
    surroundings_.err << errors_text(compiled.errors, files->modules);
    return 2;
  }
  if (auto const entry = rego::compile_entry(compiled.policy, request_.query); entry.query) {
    return measure_query(*entry.query, true);
  }
  auto const query = rego::compile_query(compiled.policy, request_.query, options);
  if (query.query) return measure_query(*query.query, false);
  surroundings_.err << errors_text(query.errors, files->modules, request_.query);
  return 2;
}

}  // namespace

int run_bench(BenchRequest const& request, Surroundings const& surroundings) {
  return Bench{request, surroundings}.run();
}

}  // namespace sallyport::app::rego_tools
