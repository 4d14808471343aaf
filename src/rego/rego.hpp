// The Rego language: compile once, evaluate many times at once.
//
//   auto compiled = compile({{"policy.rego", text}}, {});
//   auto entry = compile_entry(compiled.policy, "data.mcp.fetch.allow");
//   Evaluation evaluation;  // one per thread; reuses its memory
//   auto input = parse_json(text, evaluation.arena());
//   auto outcome = evaluation.value_of(*entry.query, *input, {});
//
// A Policy is immutable: any number of threads evaluate it without a lock.
#pragma once

#include "src/rego/budget.hpp"
#include "src/rego/diagnostic.hpp"
#include "src/rego/host.hpp"
#include "src/rego/value.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sallyport::rego {

struct Source {
  std::string name;  // for errors: usually the path
  std::string text;
};

enum class Syntax : std::uint8_t { V1, V0 };

struct CompileOptions {
  Syntax syntax{Syntax::V1};
  // Errors of built-ins end an evaluation instead of making the call undefined.
  bool strict_builtin_errors{false};
  // Refuses what OPA's `check --strict` refuses: unused variables and imports, …
  bool strict{false};
  // `and`, `or` and what else OPA still calls experimental.
  std::vector<std::string> experimental_keywords;
  // Built-ins that a module may not name, because they would do something outside.
  std::vector<std::string> refused_builtins{"http.send", "net.lookup_ip_addr"};
  // Count which lines were evaluated (`policy test --coverage`) and keep what `--explain` shows.
  // Evaluation is slower then.
  bool instrument{false};
};

class Observer;  // trace.hpp
class Policy;    // policy.hpp: what compile() makes
class Query;     // a compiled query against a Policy

struct Compiled {
  std::shared_ptr<Policy const> policy;
  Diagnostics errors;  // empty where there is a policy

  explicit operator bool() const noexcept { return policy != nullptr; }
};

// `data` is the base document (an object; undefined: empty). It is copied.
Compiled compile(std::vector<Source> const& sources, CompileOptions const& options,
                 Value data = {});

// Whether any rule of it calls that built-in, or puts it in the place of another function.
bool uses_builtin(Policy const& policy, std::string_view name);

struct CompiledQuery {
  std::shared_ptr<Query const> query;  // keeps its policy alive
  Diagnostics errors;
};

// Any query: "data.mcp.fetch.allow", "data.a.p = x; x > 1".
CompiledQuery compile_query(std::shared_ptr<Policy const> policy, std::string_view text,
                            CompileOptions const& options = {});
// A reference to a rule or document as plain text, for the hot path: "data.mcp.fetch.allow". Fails
// where the policy defines no rule there, naming the rules that it does define.
CompiledQuery compile_entry(std::shared_ptr<Policy const> policy, std::string_view reference);

struct Binding {
  std::string_view name;
  Value value;
};
// One answer of a query: the values of its expressions and of its variables.
struct Answer {
  std::vector<Value> expressions;
  std::vector<Binding> bindings;
};

struct EvaluationOptions {
  Limits limits;
  std::chrono::nanoseconds now{};  // since the epoch; 0: the clock
  std::uint64_t seed{0};           // 0: from the system
  Host* host{nullptr};             // null: nothing of the outside
  Observer* observer{nullptr};     // told what instrumented policies do (trace.hpp)
};

// Where an evaluation is made. Keeps its memory between evaluations: a steady state does not
// allocate. One thread at a time. Results live until the next evaluation or the end.
class Evaluation {
 public:
  Evaluation();
  ~Evaluation();
  Evaluation(Evaluation&&) noexcept;
  Evaluation& operator=(Evaluation&&) noexcept;

  // For the input: valid until the evaluation that follows has ended.
  Arena& arena() noexcept;

  // The value of an entry; undefined where it is. The error is also set where a limit ended it.
  struct Outcome {
    Value value;
    std::optional<Diagnostic> error;
    // The first error of a built-in that made something undefined on the way. Worth a line in the
    // log: a broken `deny` allows silently.
    std::optional<Diagnostic> built_in_error;
  };
  Outcome value_of(Query const& entry, Value input, EvaluationOptions const& options);

  struct Answers {
    std::vector<Answer> answers;
    std::optional<Diagnostic> error;
    std::optional<Diagnostic> built_in_error;
  };
  Answers answers_of(Query const& query, Value input, EvaluationOptions const& options);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sallyport::rego
