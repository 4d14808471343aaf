// What an evaluation may use, and that it uses no more.
#include "src/rego/build.hpp"
#include "src/rego/testing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

// The thread sanitizer has an operator new of its own, so that allocations are counted in the other
// builds only.
#if !__has_feature(thread_sanitizer)
#define SP_COUNTS_ALLOCATIONS
namespace {
std::atomic<std::size_t> allocations{0};
}
// NOLINTBEGIN(cppcoreguidelines-no-malloc)
void* operator new(std::size_t size) {
  ++allocations;
  if (auto* const memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc)
#endif

namespace sallyport::rego {
namespace {

using ::testing::StartsWith;
using testing::value_of_p;

constexpr auto kLoops =
    "p if { some x in numbers.range(1, 300); some y in numbers.range(1, 300)\n"
    "  some z in numbers.range(1, 300); x * y * z == 0 }";

std::string with_limits(std::string const& rules, Limits const& limits) {
  return value_of_p(rules, {.evaluation = {.limits = limits}});
}

TEST(Limits, StepsEndALoop) {
  EXPECT_EQ(with_limits(kLoops, {.steps = 10'000}),
            "eval_cancel_error: evaluation needs more than 10000 steps");
}

TEST(Limits, TheErrorNamesTheRuleThatWasEvaluated) {
  auto const compiled = compile({{"a.rego", std::string{"package t\n\n"} + kLoops}}, {});
  ASSERT_TRUE(compiled);
  auto const entry = compile_entry(compiled.policy, "data.t.p");
  Evaluation evaluation;

  auto const outcome = evaluation.value_of(*entry.query, {}, {.limits = {.steps = 100}});

  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->file, "a.rego");
  EXPECT_EQ(outcome.error->at.row, 3U);
}

TEST(Limits, TimeEndsALoop) {
  auto const before = std::chrono::steady_clock::now();

  auto const came = with_limits(
      kLoops, {.steps = ~std::uint64_t{0} >> 1U, .time = std::chrono::milliseconds{20}});

  EXPECT_EQ(came, "eval_cancel_error: evaluation takes longer than 20 ms");
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds{5});
}

TEST(Limits, MemoryEndsACollection) {
  EXPECT_THAT(with_limits("p := [[x, y, z] | some x in numbers.range(1, 1000)\n"
                          "  some y in numbers.range(1, 1000); z := [x, y, input]]",
                          {.memory = std::size_t{1} << 20}),
              StartsWith("eval_cancel_error: evaluation needs more than 1048576 bytes of memory"));
}

TEST(Limits, DepthEndsAChainOfFunctions) {
  std::string rules = "p := f0(input)\n";
  for (int i = 0; i < 50; ++i) {
    rules += "f" + std::to_string(i) + "(x) := f" + std::to_string(i + 1) + "(x)\n";
  }
  rules += "f50(x) := 1\n";

  EXPECT_EQ(with_limits(rules, {.depth = 60}), "1");
  EXPECT_EQ(with_limits(rules, {.depth = 20}),
            "eval_cancel_error: rules and functions call each other more than 20 levels deep");
}

// A policy that uses most of the language.
constexpr auto kPolicy = R"(package t
default allow := false
allow if { input.method in {"GET", "HEAD"}; host_ok; not blocked }
host_ok if { some suffix in suffixes; endswith(input.host, suffix) }
suffixes := {".a.com", ".b.com"}
blocked if { some name, _ in input.headers; f(name) == "x" }
f(n) := lower(n)
names contains n if some n, _ in input.headers
by_size[n] := count(v) if some n, v in input.headers
all_good if every _, v in input.headers { count(v) < 10 + count([x | some x in names]) }
allow if { all_good; input.other with input.other as 1; by_size.accept > 100 }
)";

#ifdef SP_COUNTS_ALLOCATIONS
TEST(Limits, ASteadyStateDoesNotAskTheHeap) {
  auto const compiled = compile({{"a.rego", kPolicy}}, {});
  ASSERT_TRUE(compiled) << compiled.errors.front().message;
  auto const entry = compile_entry(compiled.policy, "data.t.allow");
  Evaluation evaluation;
  auto const evaluate = [&](std::string_view method) {
    ObjectBuilder headers{evaluation.arena()};
    headers.add("accept", Value::string("text"));
    headers.add("Host", Value::string("y"));
    ObjectBuilder input{evaluation.arena()};
    input.add("method", Value::string(method));
    input.add("host", Value::string("x.b.com"));
    input.add("headers", headers.finish());
    return evaluation.value_of(*entry.query, input.finish(), {}).value.is_true();
  };
  for (int i = 0; i < 3; ++i) evaluate("POST");
  auto const before = allocations.load();
  ASSERT_GT(before, 0U) << "compiling allocates: the counter does not count";

  auto const allowed = evaluate("GET");
  auto const denied = evaluate("POST");

  EXPECT_EQ(allocations.load() - before, 0U);
  EXPECT_TRUE(allowed);
  EXPECT_FALSE(denied);
}
#endif

TEST(Limits, AnyNumberOfThreadsEvaluateOnePolicy) {
  auto const compiled = compile({{"a.rego", kPolicy}}, {});
  ASSERT_TRUE(compiled);
  auto const entry = compile_entry(compiled.policy, "data.t.allow");
  std::atomic<int> right{0};
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      Evaluation evaluation;
      for (int i = 0; i < 500; ++i) {
        auto const good = (i + thread) % 2 == 0;
        auto const input = parse_json(good ? R"({"method": "GET", "host": "x.a.com"})"
                                           : R"({"method": "GET", "host": "x.c.com"})",
                                      evaluation.arena());
        auto const outcome = evaluation.value_of(*entry.query, *input, {});
        right += outcome.value.is_true() == good ? 1 : 0;
      }
    });
  }
  threads.clear();

  EXPECT_EQ(right, 2000);
}

TEST(Limits, AnEvaluationServesSeveralPolicies) {
  auto const first = compile({{"a.rego", "package t\np := x if x := input + 1"}}, {});
  auto const second = compile({{"a.rego", "package t\nq := 1\np := x if x := input + 2"}}, {});
  auto const one = compile_entry(first.policy, "data.t.p");
  auto const two = compile_entry(second.policy, "data.t.p");
  Evaluation evaluation;

  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(evaluation.value_of(*one.query, Value::integer(i), {}).value.as_int64(), i + 1);
    EXPECT_EQ(evaluation.value_of(*two.query, Value::integer(i), {}).value.as_int64(), i + 2);
  }
}

}  // namespace
}  // namespace sallyport::rego
