#include "bench/policy/probes.hpp"

#include "src/rego/json.hpp"
#include "src/rego/rego.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "bench/policy/timing.hpp"

namespace sallyport::bench {
namespace {

using std::chrono::milliseconds;

// What policies that judge calls have; 1.1 times that is what we promise.
constexpr milliseconds kDeadline{50};
constexpr double kMostOvertime = 1.1;
constexpr unsigned kHangsAfterSeconds = 20;

struct Probe {
  std::string name;
  std::string rules;  // `allow` is asked for
  std::string input{"{}"};
  rego::Limits limits{.time = kDeadline};
};

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

constexpr std::string_view kLoops =
    "list := numbers.range(1, input.n)\n"
    "allow if { some x in list; some y in list; some z in list; x * y * z == 0 }";

// Each text is twice the one before.
std::string doubled_texts() {
  std::string rules = "t0 := input.text\n";
  for (int i = 1; i <= 40; ++i) {
    rules += fmt::format("t{0} := concat(\"\", [t{1}, t{1}])\n", i, i - 1);
  }
  return rules + "allow if count(t40) > 0";
}

// Runs until its time is up: the only limit.
Probe runaway(milliseconds deadline) {
  return {.name = fmt::format("three nested loops over 300, {} ms", deadline.count()),
          .rules = std::string{kLoops},
          .input = R"({"n": 300})",
          .limits = {.steps = ~std::uint64_t{0} >> 1U, .time = deadline}};
}

std::vector<Probe> probes() {
  return {
      runaway(milliseconds{20}),
      runaway(milliseconds{50}),
      runaway(milliseconds{200}),
      runaway(milliseconds{500}),
      {"the same, with the limits of a call", std::string{kLoops}, R"({"n": 300})"},
      {"three nested loops that collect",
       "allow if count([[x, y, z] | some x in input.l; some y in input.l; some z in input.l]) == 0",
       R"({"l": [)" + repeated("1,", 299) + "1]}"},
      {"bits.lsh(1, 1e8)", "allow if bits.lsh(1, input.n) > 0", R"({"n": 100000000})"},
      {"a product of large numbers",
       "allow if product([x | some _ in numbers.range(1, 1000); x := input.n]) > 0",
       R"({"n": 1e1000})"},
      {"units.parse(\"1e99999999K\")", "allow if units.parse(input.t) > 0",
       R"({"t": "1e99999999K"})"},
      {"5,000 nested brackets in a policy",
       "allow if " + repeated("[", 5000) + repeated("]", 5000) + " == input"},
      {"5,000 nested brackets in a text", "allow if json.unmarshal(input.t) == 1",
       R"({"t": ")" + repeated("[", 5000) + repeated("]", 5000) + "\"}"},
      {"numbers.range(1, 3e6)", "allow if count(numbers.range(1, input.n)) == 0",
       R"({"n": 3000000})"},
      {"net.cidr_expand of a /12", "allow if count(net.cidr_expand(input.t)) == 0",
       R"({"t": "10.0.0.0/12"})"},
      {"sprintf(\"%200000000d\")", "allow if sprintf(input.t, [1]) == \"\"",
       R"({"t": "%200000000d"})"},
      {"a text doubled 40 times", doubled_texts(), R"({"text": "abcdefgh"})"},
      {"regex (a+)+$", "allow if regex.match(`(a+)+$`, input.t)",
       R"({"t": ")" + repeated("a", 100'000) + "b\"}"},
      {"regex (a{1,1000}){1,1000}", "allow if regex.match(input.t, \"aaaa\")",
       R"({"t": "(a{1,1000}){1,1000}"})"},
      {"glob of 1,000 stars", "allow if glob.match(input.g, [], input.t)",
       R"({"g": ")" + repeated("*a", 1000) + R"(", "t": ")" + repeated("a", 100'000) + "b\"}"},
      {"a chain of 10,000 rules",
       [] {
         std::string rules = "r0 := input.n\n";
         for (int i = 1; i <= 10'000; ++i) rules += fmt::format("r{} := r{} + 1\n", i, i - 1);
         return rules + "allow if r10000 > 0";
       }(),
       R"({"n": 1})"},
  };
}

struct Ended {
  std::array<char, 120> outcome{};
  double compile_ms{0};
  double evaluation_ms{0};
  double waited_ms{0};
  double resident_mb{0};  // before
};

double resident_mb() {
  std::uint64_t whole = 0;
  std::uint64_t resident = 0;
  std::ifstream{"/proc/self/statm"} >> whole >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

std::string said(rego::Evaluation::Outcome const& outcome) {
  if (outcome.error) return "stopped: " + outcome.error->message;
  auto text = outcome.value.is_defined() ? to_json(outcome.value) : "undefined";
  if (outcome.built_in_error) text += ": " + outcome.built_in_error->message;
  return text;
}

std::string answer(Probe const& probe, Ended& ended) {
  auto const begun = clock_seconds();
  auto const compiled = rego::compile({{"probe.rego", "package mcp\n\n" + probe.rules}}, {});
  auto const entry = compiled ? compile_entry(compiled.policy, "data.mcp.allow")
                              : rego::CompiledQuery{.errors = compiled.errors};
  auto const loaded = clock_seconds();
  ended.compile_ms = (loaded - begun) * 1e3;
  if (!entry.query) return "refused: " + entry.errors.front().message;
  rego::Evaluation evaluation;
  auto const input = parse_json(probe.input, evaluation.arena());
  if (!input) return "input refused: " + input.error().message;
  auto const waited = waited_seconds();
  auto const asked = clock_seconds();
  auto const outcome = evaluation.value_of(*entry.query, *input, {.limits = probe.limits});
  ended.evaluation_ms = (clock_seconds() - asked) * 1e3;
  ended.waited_ms = (waited_seconds() - waited) * 1e3;
  return said(outcome);
}

struct Finished {
  bool whole{false};  // neither crashed nor hung
  Ended ended;
  double grew_mb{0};
};

[[noreturn]] void answer_into(int pipe_end, Probe const& probe) {
  alarm(kHangsAfterSeconds);
  Ended ended{.resident_mb = resident_mb()};
  auto const text = answer(probe, ended);
  text.copy(ended.outcome.data(), ended.outcome.size() - 1);
  auto const written = ::write(pipe_end, &ended, sizeof ended);
  _exit(written == sizeof ended ? 0 : 1);
}

// In a process of its own, so that its memory is its own, and so that it may hang or crash.
Finished run_apart(Probe const& probe) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return {};
  std::fflush(stdout);
  auto const child = fork();
  if (child == 0) answer_into(ends[1], probe);
  close(ends[1]);
  Finished finished;
  finished.whole = ::read(ends[0], &finished.ended, sizeof(Ended)) == sizeof(Ended);
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  auto const peak_mb = static_cast<double>(usage.ru_maxrss) / 1024;
  finished.grew_mb = std::max(0.0, peak_mb - finished.ended.resident_mb);
  return finished;
}

bool run_probe(Probe const& probe) {
  constexpr double kMegabyte = 1 << 20;
  constexpr double kOtherMemory = 16;  // the policy, its input, what the heap keeps
  auto const [whole, ended, grew_mb] = run_apart(probe);
  auto const deadline_ms = std::chrono::duration<double, std::milli>(probe.limits.time).count();
  auto const most_mb = static_cast<double>(probe.limits.memory) / kMegabyte + kOtherMemory;
  auto const good = whole && ended.evaluation_ms - ended.waited_ms <= deadline_ms * kMostOvertime &&
                    grew_mb <= most_mb;
  std::string_view const outcome = whole ? ended.outcome.data() : "CRASHED OR HUNG";
  fmt::print(
      R"({{"probe":{},"deadline_ms":{:.0f},"compile_ms":{:.2f},"took_ms":{:.2f},"waited_ms":{:.2f},)"
      R"("grew_mb":{:.1f},"outcome":{},"good":{}}})"
      "\n",
      rego::to_json(rego::Value::string(probe.name)), deadline_ms, ended.compile_ms,
      ended.evaluation_ms, ended.waited_ms, grew_mb, rego::to_json(rego::Value::string(outcome)),
      good);
  return good;
}

}  // namespace

bool run_probes() {
  bool good = true;
  for (auto const& probe : probes()) good = run_probe(probe) && good;
  return good;
}

}  // namespace sallyport::bench
