// The passes, in the order in which they run. Each reports what it refuses to Context::errors; the
// next one starts only where there were none.
#pragma once

#include "src/rego/check/context.hpp"

namespace sallyport::rego::check {

using Modules = std::vector<ast::Module*>;

// Names that mean rules of the package, imports or built-ins become refs and full names.
void resolve_names(Context& context, Modules const& modules);
void resolve_names(Context& context, Body& query);
// Terms in the references of heads become variables that the body computes.
void lift_head_references(Context& context, Modules const& modules);
// Nothing may be called `input` or `data`; no two imports alike.
void refuse_shadowing(Context& context, Modules const& modules);
void refuse_shadowing(Context& context, Body& query);
// Where every rule hangs.
void build_rule_tree(RuleTree& tree, Modules const& modules);

// Declared variables get names of their own; `some`, `:=` and `some … in` become eq().
void rename_locals(Context& context, Modules const& modules);
void rename_locals(Context& context, Body& query);
// $"…" becomes a call.
void rewrite_templates(Context& context, Modules const& modules);
void rewrite_templates(Context& context, Body& query);
void refuse_void_values(Context& context, Modules const& modules);
void refuse_void_values(Context& context, Body& query);
// So that an operand that is undefined is printed as such.
void rewrite_prints(Context& context, Modules const& modules);
void rewrite_prints(Context& context, Body& query);
// Calls inside terms become expressions of their own.
void lift_calls(Context& context, Modules const& modules);
void lift_calls(Context& context, Body& query);
// rego.metadata.rule() and .chain() become what the annotations say.
void rewrite_metadata_calls(Context& context, Modules const& modules);
// What heads and comprehensions compute moves into their bodies.
void lift_results(Context& context, Modules const& modules);
void lift_results(Context& context, Body& query);
void rewrite_withs(Context& context, Modules const& modules);
void rewrite_withs(Context& context, Body& query);

void refuse_conflicts(Context& context);
void refuse_undefined_functions(Context& context, Modules const& modules);
void refuse_undefined_functions(Context& context, Body& query);
// Every variable gets a number and, in rules, a name of its own.
void number_variables(Context& context, Modules const& modules);
void number_variables(Context& context, Body& query, std::vector<CheckedQuery::Variable>& named);
// Orders bodies so that variables are bound before they are needed.
void order_bodies(Context& context, Modules const& modules);
void order_bodies(Context& context, Body& query);
// Refs and comprehensions inside terms become expressions of their own; == becomes =.
void lift_refs(Context& context, Modules const& modules);
void lift_refs(Context& context, Body& query);
// Refuses recursion; otherwise the rules, each after those that it uses.
std::vector<Rule*> order_rules(Context& context);
void refuse_forbidden_functions(Context& context, Modules const& modules);
void refuse_forbidden_functions(Context& context, Body& query);

}  // namespace sallyport::rego::check
