#include "src/rego/policy.hpp"
#include "src/rego/rego.hpp"
#include "src/rego/vm/machine.hpp"

#include <utility>

namespace sallyport::rego {

struct Evaluation::State {
  vm::Machine machine;
};

Evaluation::Evaluation() : state_{std::make_unique<State>()} {}
Evaluation::~Evaluation() = default;
Evaluation::Evaluation(Evaluation&&) noexcept = default;
Evaluation& Evaluation::operator=(Evaluation&&) noexcept = default;

Arena& Evaluation::arena() noexcept {
  return state_->machine.arena_for_input();
}

Evaluation::Outcome Evaluation::value_of(Query const& entry, Value input,
                                         EvaluationOptions const& options) {
  auto& machine = state_->machine;
  machine.run(entry.program(), entry.plan(), input, options, true);
  Outcome outcome{.error = std::exchange(machine.error(), std::nullopt),
                  .built_in_error = std::exchange(machine.built_in_error(), std::nullopt)};
  if (!outcome.error && machine.answer_count() > 0 && entry.plan().expressions > 0) {
    outcome.value = machine.answers().front();
  }
  return outcome;
}

Evaluation::Answers Evaluation::answers_of(Query const& query, Value input,
                                           EvaluationOptions const& options) {
  auto& machine = state_->machine;
  auto const& plan = query.plan();
  machine.run(query.program(), plan, input, options, false);
  Answers result{.error = std::exchange(machine.error(), std::nullopt),
                 .built_in_error = std::exchange(machine.built_in_error(), std::nullopt)};
  if (result.error) return result;
  auto values = machine.answers();
  for (std::uint32_t i = 0; i < machine.answer_count(); ++i) {
    auto& answer = result.answers.emplace_back();
    auto const expressions = values.first(plan.expressions);
    answer.expressions.assign(expressions.begin(), expressions.end());
    values = values.subspan(plan.expressions);
    for (auto const& name : plan.variables) {
      answer.bindings.push_back({name, values.front()});
      values = values.subspan(1);
    }
  }
  return result;
}

}  // namespace sallyport::rego
