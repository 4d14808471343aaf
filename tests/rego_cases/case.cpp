#include "tests/rego_cases/case.hpp"

#include "src/rego/build.hpp"
#include "src/rego/json.hpp"
#include "src/rego/parser.hpp"
#include "src/rego/rego.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <vector>

namespace sallyport::rego_cases {
namespace {

using rego::Answer;
using rego::Arena;
using rego::ArrayBuilder;
using rego::CompileOptions;
using rego::Diagnostic;
using rego::Diagnostics;
using rego::Evaluation;
using rego::EvaluationOptions;
using rego::Kind;
using rego::ObjectBuilder;
using rego::SetBuilder;
using rego::Source;
using rego::Value;

// Built-ins that docs/rego.md lists as not offered, and test.sleep, which only OPA's own test
// program has.
constexpr std::array<std::string_view, 5> kOutOfScope{
    "graphql.", "providers.aws.", "net.lookup_ip_addr", "rego.parse_module", "test.sleep"};

std::string_view text_of(Value test_case, std::string_view field) {
  auto const value = get(test_case, field);
  return value.is(Kind::String) ? value.as_string() : std::string_view{};
}

bool flag_of(Value test_case, std::string_view field) {
  auto const value = get(test_case, field);
  return value.is_defined() && !value.is_false() && !value.is(Kind::Null);
}

std::vector<Source> sources_of(Value test_case) {
  std::vector<Source> sources;
  auto const modules = get(test_case, "modules");
  if (!modules.is(Kind::Array)) return sources;
  for (auto const module : modules.items()) {
    sources.push_back(
        {"test-" + std::to_string(sources.size()) + ".rego", std::string{module.as_string()}});
  }
  return sources;
}

bool is_out_of_scope(Value test_case, std::vector<Source> const& sources) {
  return std::ranges::any_of(kOutOfScope, [&](std::string_view name) {
    return text_of(test_case, "query").find(name) != std::string_view::npos ||
           std::ranges::any_of(sources, [&](Source const& source) {
             return source.text.find(name) != std::string::npos;
           });
  });
}

CompileOptions options_of(Value test_case) {
  CompileOptions options{.strict_builtin_errors = flag_of(test_case, "strict_error"),
                         .refused_builtins = {}};
  if (flag_of(test_case, "experimental_keywords")) options.experimental_keywords = {"and", "or"};
  return options;
}

// As JSON has it: sets are arrays, keys are strings.
Value as_json(Value value, Arena& arena) {
  auto parsed = parse_json(to_json(value), arena);
  return parsed ? *parsed : Value{};
}

Value sorted(Value value, Arena& arena) {
  if (!value.is(Kind::Array)) return value;
  ArrayBuilder builder{arena, value.size()};
  std::vector<Value> items{value.items().begin(), value.items().end()};
  std::ranges::sort(items, [](Value left, Value right) { return compare(left, right) < 0; });
  for (auto const item : items) builder.add(item);
  return builder.finish();
}

// One answer as an object of its variables, comparable to one of `want_result`.
Value comparable(Value answer, bool sort, Arena& arena) {
  ObjectBuilder builder{arena};
  for (auto const& entry : answer.entries()) {
    builder.add(entry.key, sort ? sorted(entry.value, arena) : entry.value);
  }
  return builder.finish();
}

bool is_false_answer(Answer const& answer) {
  return std::ranges::any_of(answer.expressions, [](Value value) { return value.is_false(); });
}

Value bindings_of(std::vector<Answer> const& answers, Value test_case, Arena& arena) {
  auto const sort = flag_of(test_case, "sort_bindings");
  auto const skip_generated = flag_of(test_case, "ignore_generated_vars");
  SetBuilder all{arena};
  for (auto const& answer : answers) {
    if (is_false_answer(answer)) continue;
    ObjectBuilder bindings{arena};
    for (auto const& [name, value] : answer.bindings) {
      if (skip_generated && name.starts_with("__localq")) continue;
      bindings.add(name, as_json(value, arena));
    }
    all.add(comparable(bindings.finish(), sort, arena));
  }
  return all.finish();
}

Value wanted_bindings(Value test_case, Arena& arena) {
  auto const sort = flag_of(test_case, "sort_bindings");
  SetBuilder all{arena};
  for (auto const answer : get(test_case, "want_result").items()) {
    all.add(comparable(answer, sort, arena));
  }
  return all.finish();
}

std::string described(Diagnostic const& error) {
  std::string text;
  if (!error.file.empty()) text = error.file + ":" + std::to_string(error.at.row) + ": ";
  return text + std::string{name_of(error.code)} + ": " + error.message;
}

Report judge(bool passed, std::string came) {
  return passed ? Report{Verdict::Passed, {}} : Report{Verdict::Failed, std::move(came)};
}

Report judge_errors(Value test_case, Diagnostics const& errors) {
  auto const code = text_of(test_case, "want_error_code");
  auto const wanted = text_of(test_case, "want_error");
  std::string came;
  for (auto const& error : errors) came += (came.empty() ? "" : "\n") + described(error);
  if (code.empty() && wanted.empty()) return judge(false, came);
  auto const code_matches =
      code.empty() || std::ranges::any_of(errors, [&](Diagnostic const& error) {
        return name_of(error.code) == code;
      });
  auto const compares_text = get(test_case, "file").is_defined();
  auto const text_matches = !compares_text || came.find(wanted) != std::string::npos;
  return judge(code_matches && text_matches,
               came + "\n  wanted: " + std::string{code} + " " + std::string{wanted});
}

Report judge_answers(Value test_case, std::vector<Answer> const& answers, Arena& arena) {
  if (get(test_case, "want_error_code").is_defined() || get(test_case, "want_error").is_defined()) {
    return judge(false, "no error, but " + to_rego(bindings_of(answers, test_case, arena)) +
                            "\n  wanted: " + std::string{text_of(test_case, "want_error_code")} +
                            " " + std::string{text_of(test_case, "want_error")});
  }
  if (get(test_case, "want_result").is_defined()) {
    auto const came = bindings_of(answers, test_case, arena);
    auto const wanted = wanted_bindings(test_case, arena);
    return judge(equal(came, wanted), to_rego(came) + "\n  wanted: " + to_rego(wanted));
  }
  Value came;
  if (!answers.empty() && !answers.front().expressions.empty()) {
    came = as_json(answers.front().expressions.front(), arena);
  }
  auto const wanted = get(test_case, "want");
  return judge(equal(came, wanted), to_rego(came) + "\n  wanted: " + to_rego(wanted));
}

Value input_of(Value test_case, Arena& arena, Diagnostics& errors) {
  auto const term = get(test_case, "input_term");
  if (!term.is(Kind::String)) return get(test_case, "input");
  return parse_ground_term(term.as_string(), arena, errors);
}

}  // namespace

Report run_case(Value test_case, Engine engine) {
  auto const sources = sources_of(test_case);
  if (is_out_of_scope(test_case, sources)) return {Verdict::Skipped, {}};
  auto options = options_of(test_case);
  options.instrument = engine == Engine::Instrumented;
  auto const data = get(test_case, "data");
  auto const compiled = compile(sources, options, data.is(Kind::Object) ? data : Value{});
  if (!compiled) return judge_errors(test_case, compiled.errors);
  auto const query = compile_query(compiled.policy, text_of(test_case, "query"), options);
  if (!query.query) return judge_errors(test_case, query.errors);

  Arena arena;
  Diagnostics errors;
  auto const input = input_of(test_case, arena, errors);
  if (!errors.empty()) return judge_errors(test_case, errors);
  Evaluation evaluation;
  EvaluationOptions const evaluation_options{.limits = {.time = std::chrono::seconds{10}}};
  auto const outcome = evaluation.answers_of(*query.query, input, evaluation_options);
  if (outcome.error) return judge_errors(test_case, {*outcome.error});
  return judge_answers(test_case, outcome.answers, arena);
}

}  // namespace sallyport::rego_cases
