// Any policy ends within its limits, and gives the same answer however it is compiled: with rules
// computed at load, or instrumented, where nothing is.
#include "src/rego/json.hpp"
#include "src/rego/rego.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

namespace {

using sallyport::rego::CompileOptions;
using sallyport::rego::Evaluation;
using sallyport::rego::EvaluationOptions;

constexpr auto kInput =
    R"({"a": [1, 2, {"b": "x"}], "s": "text", "n": 5, "o": {"k": "v", "l": [3, "x"]}, "x": 1})";

// As text; nothing where it did not come to an end, or the policy is none.
std::optional<std::string> answer(std::string const& policy, bool instrument) {
  CompileOptions options{.instrument = instrument};
  options.experimental_keywords = {"and", "or"};
  auto const compiled = compile({{"fuzz.rego", policy}}, options);
  if (!compiled) return std::nullopt;
  auto const query = compile_query(compiled.policy, "data", options);
  if (!query.query) return std::nullopt;
  Evaluation evaluation;
  auto const input = parse_json(kInput, evaluation.arena());
  EvaluationOptions const evaluation_options{
      .limits = {.steps = 20'000,
                 .time = std::chrono::milliseconds{100},
                 .memory = std::size_t{4} << 20},
      .now = std::chrono::nanoseconds{1'700'000'000'000'000'000},
      .seed = 1};
  auto const outcome = evaluation.value_of(*query.query, *input, evaluation_options);
  if (outcome.error) return std::nullopt;
  return to_rego(outcome.value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const policy{reinterpret_cast<char const*>(data), size};
  auto const plain = answer(policy, false);
  if (!plain) return 0;
  auto const instrumented = answer(policy, true);
  if (instrumented && *plain != *instrumented) {
    std::cerr << policy << "\nplain:        " << *plain << "\ninstrumented: " << *instrumented
              << '\n';
    std::abort();
  }
  return 0;
}
