// For tests: a policy as text, a question, and the answer as text.
#pragma once

#include "src/rego/json.hpp"
#include "src/rego/rego.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace sallyport::rego::testing {

// As Rego would write it; "undefined", or "eval_conflict_error: …".
inline std::string said(Evaluation::Outcome const& outcome) {
  if (outcome.error) {
    return std::string{name_of(outcome.error->code)} + ": " + outcome.error->message;
  }
  return outcome.value.is_defined() ? to_rego(outcome.value) : "undefined";
}

struct Asked {
  std::string_view input{"{}"};
  std::string_view data{"{}"};
  CompileOptions compile{};
  EvaluationOptions evaluation{};
};

// What `query` (a reference to a rule) gives under one module.
inline std::string answer(std::string const& module, std::string_view query,
                          Asked const& asked = {}) {
  Arena arena;
  auto const compiled =
      rego::compile({{"test.rego", module}}, asked.compile, *parse_json(asked.data, arena));
  if (!compiled) {
    return std::string{name_of(compiled.errors.front().code)} + ": " +
           compiled.errors.front().message;
  }
  auto const entry = compile_query(compiled.policy, query, asked.compile);
  if (!entry.query) return entry.errors.front().message;
  Evaluation evaluation;
  auto const input = asked.input.empty() ? Value{} : *parse_json(asked.input, evaluation.arena());
  return said(evaluation.value_of(*entry.query, input, asked.evaluation));
}

// Of a module with one rule `p`.
inline std::string value_of_p(std::string const& rules, Asked const& asked = {}) {
  return answer("package t\n" + rules, "data.t.p", asked);
}

}  // namespace sallyport::rego::testing
