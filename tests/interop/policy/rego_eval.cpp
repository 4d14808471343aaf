// Answers policies that come as lines of JSON, so that the answers can be compared with OPA's.
//
//   rego_eval < CASES.jsonl
//
// A case is {"module", "data", "inputs", "queries", "strict"}; each query is asked with each input.
// The answer is one line: a list of {"value": [V]}, {} where undefined, or {"error": [CODE…]}; a
// list of one error where the module does not compile. tests/peers/opa/cases.go does the same.
#include "src/rego/json.hpp"
#include "src/rego/rego.hpp"

#include <chrono>
#include <iostream>
#include <string>

namespace sallyport::rego {
namespace {

std::string error_answer(Diagnostics const& errors) {
  std::string text = R"({"error":[)";
  for (auto const& error : errors) {
    if (&error != &errors.front()) text += ',';
    text += '"' + std::string{name_of(error.code)} + '"';
  }
  return text + "]}";
}

std::string answer_of(Query const& query, Value input, Evaluation& evaluation) {
  auto const outcome =
      evaluation.answers_of(query, input, {.limits = {.time = std::chrono::seconds{5}}});
  if (outcome.error) return error_answer({*outcome.error});
  if (outcome.answers.empty()) return "{}";
  return R"({"value":[)" + to_json(outcome.answers.front().expressions.front()) + "]}";
}

std::string answers_of(Value one) {
  CompileOptions const options{.strict_builtin_errors = get(one, "strict").is_true()};
  auto const module = get(one, "module");
  auto const compiled =
      compile({{"case.rego", std::string{module.as_string()}}}, options, get(one, "data"));
  if (!compiled) return "[" + error_answer(compiled.errors) + "]";
  std::string text = "[";
  auto const add = [&](std::string const& answer) {
    if (text.size() > 1) text += ',';
    text += answer;
  };
  Evaluation evaluation;
  for (auto const query : get(one, "queries").items()) {
    auto const asked = compile_query(compiled.policy, query.as_string(), options);
    if (!asked.query) {
      add(error_answer(asked.errors));
      continue;
    }
    for (auto const input : get(one, "inputs").items()) {
      add(answer_of(*asked.query, input, evaluation));
    }
  }
  return text + "]";
}

}  // namespace
}  // namespace sallyport::rego

int main() {
  namespace rego = sallyport::rego;
  for (std::string line; std::getline(std::cin, line);) {
    rego::Arena arena;
    auto const one = rego::parse_json(line, arena);
    if (!one || !rego::get(*one, "module").is(rego::Kind::String)) {
      std::cerr << "rego_eval: a line is not a case\n";
      return 2;
    }
    std::cout << rego::answers_of(*one) << '\n' << std::flush;
  }
}
