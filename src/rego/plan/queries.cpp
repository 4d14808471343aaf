// Queries are planned like a body that answers instead of giving a value.
#include "src/rego/plan/body_planner.hpp"
#include "src/rego/plan/planner.hpp"

#include <algorithm>

namespace sallyport::rego::plan {
namespace {

void answer(CodeWriter& writer, BodyPlanner& planner, std::vector<Operand> operands,
            QueryPlan& plan) {
  // A variable that nothing binds; the checker refuses it.
  std::ranges::replace(operands, kNothing, writer.constant(Value::null()));
  writer.emit({.op = Op::Answer,
               .count = static_cast<std::uint32_t>(operands.size()),
               .b = writer.operands(operands)});
  writer.jump(planner.fail());
  plan.asks_the_world = planner.asks_the_world();
}

// `body` writes what comes between the start and the end of the frame.
template <class Body>
QueryPlan plan_frame(Environment& environment, std::uint32_t variables, Body body) {
  QueryPlan plan;
  CodeWriter writer{plan.code};
  writer.start_frame(0);
  BodyPlanner planner{environment, writer, variables};
  auto const end = writer.new_label();
  planner.set_fail(end);
  body(writer, planner, plan);
  writer.place(end);
  writer.emit({.op = Op::Return});
  writer.resolve();
  plan.frame = writer.take_frame_size();
  // Places in a query are not places in the first of the sources.
  for (auto& site : plan.code.sites) site.at.file = kNone;
  for (auto& with : plan.code.withs) with.at.file = kNone;
  for (auto& place : plan.code.places) place.file = kNone;
  return plan;
}

}  // namespace

bool covers(PlannedModules const& planned, ast::Body const& query) {
  Replaceables wanted;
  add_replaceables(query, planned.program, wanted);
  auto const& known = planned.replaceables;
  auto const knows = [](auto const& map) {
    return [&map](auto const& entry) { return map.contains(entry.first); };
  };
  return std::ranges::all_of(wanted.builtins, knows(known.builtins)) &&
         std::ranges::all_of(wanted.functions, knows(known.functions)) &&
         std::ranges::all_of(wanted.data, [&](auto const& path) {
           return std::ranges::any_of(known.data, [&](auto const& other) {
             return std::ranges::equal(path, other,
                                       [](Value left, Value right) { return equal(left, right); });
           });
         });
}

QueryPlan plan_query(CheckedQuery const& query, PlannedModules const& planned, Arena& arena,
                     Diagnostics& errors) {
  Environment environment{planned.program, planned.replaceables, arena, errors};
  return plan_frame(environment, query.variable_count,
                    [&](CodeWriter& writer, BodyPlanner& planner, QueryPlan& plan) {
                      planner.body(query.body);
                      std::vector<Operand> operands;
                      operands.reserve(query.expressions.size() + query.variables.size());
                      for (auto const number : query.expressions) {
                        operands.push_back(number == CheckedQuery::kTrue
                                               ? writer.constant(Value::boolean(true))
                                               : planner.binding(number));
                      }
                      for (auto const& variable : query.variables) {
                        operands.push_back(planner.binding(variable.number));
                        plan.variables.emplace_back(variable.name);
                      }
                      plan.expressions = static_cast<std::uint32_t>(query.expressions.size());
                      answer(writer, planner, operands, plan);
                    });
}

QueryPlan plan_entry(ast::Term const& reference, PlannedModules const& planned, Arena& arena) {
  Diagnostics errors;  // a path of constants has none
  Environment environment{planned.program, planned.replaceables, arena, errors};
  return plan_frame(environment, 0, [&](CodeWriter& writer, BodyPlanner& planner, QueryPlan& plan) {
    plan.expressions = 1;
    answer(writer, planner, {planner.value(reference)}, plan);
  });
}

}  // namespace sallyport::rego::plan
