// Heads and comprehensions only name what their bodies have computed.
#include "src/rego/check/passes.hpp"
#include "src/rego/check/walk.hpp"

namespace sallyport::rego::check {
namespace {

// Moves the term into the body, where it needs evaluation.
void lift(Context& context, Term*& term, Body& body) {
  if (term == nullptr || !needs_evaluation(*term)) return;
  auto* const var = context.fresh_var(term->at);
  body.push_back(context.arena, context.make_eq(var, term, term->at));
  term = var;
}

void lift_in_comprehension(Context& context, Term& term) {
  if (!is_comprehension(term)) return;
  for (auto& item : term.items) lift(context, item, term.body);
}

}  // namespace

void lift_head_references(Context& context, Modules const& modules) {
  for (auto* const module : modules) {
    for_each_rule(*module, [&](Rule& rule) {
      for (std::size_t i = 1; i < rule.reference->items.size(); ++i) {
        auto*& item = rule.reference->items[i];
        if (is_var(*item) || is_scalar(*item)) continue;
        auto* const var = context.fresh_name_var(item->at);
        rule.body.push_back(context.arena, context.make_eq(var, item, item->at));
        item = var;
      }
    });
  }
}

void lift_results(Context& context, Modules const& modules) {
  auto const in_comprehension = [&](Term& term) {
    lift_in_comprehension(context, term);
    return true;
  };
  for_each_rule_with_variables(context, modules, [&](Rule& rule) {
    walk_rule(rule, in_comprehension, kGoOn);
    lift(context, rule.key, rule.body);
    lift(context, rule.value, rule.body);
  });
}

void lift_results(Context& context, Body& query) {
  walk_body(
      query,
      [&](Term& term) {
        lift_in_comprehension(context, term);
        return true;
      },
      kGoOn);
}

}  // namespace sallyport::rego::check
