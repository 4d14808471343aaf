#include "src/rego/checked.hpp"

#include "src/rego/check/passes.hpp"
#include "src/rego/check/query.hpp"
#include "src/rego/check/types.hpp"
#include "src/rego/check/walk.hpp"

namespace sallyport::rego {
namespace {

using namespace check;

// So that passes need not ask: each `else` has what its rule has, each rule a value.
void complete(Context& context, ast::Module& module) {
  for (auto* const first : module.rules) {
    for (auto* rule = first; rule != nullptr; rule = rule->otherwise) {
      rule->module = &module;
      if (rule != first) {
        rule->reference = context.deep_copy(*first->reference);
        rule->parameters = first->parameters;
        rule->is_function = first->is_function;
      }
      if (rule->value == nullptr && rule->kind == RuleKind::Value) {
        rule->value = context.make(TermKind::Constant, rule->at);
        rule->value->value = Value::boolean(true);
      }
    }
  }
}

}  // namespace

Checked check_modules(std::vector<ast::Module*> modules, CompileOptions const& options,
                      Value /*base*/, Arena& arena, Diagnostics& errors) {
  Checked checked;
  checked.modules = std::move(modules);
  Context context{.options = options,
                  .arena = arena,
                  .errors = errors,
                  .tree = checked.data,
                  .original_names = checked.original_names,
                  .strict = options.strict};
  auto const& all = checked.modules;
  for (auto* const module : all) complete(context, *module);

  auto const before = errors.size();
  auto const failed = [&] { return errors.size() > before; };
  using Pass = void (*)(Context&, Modules const&);
  auto const run = [&](std::initializer_list<Pass> passes) {
    for (auto const pass : passes) {
      if (failed()) return;
      pass(context, all);
    }
  };

  run({resolve_names, lift_head_references, refuse_shadowing});
  if (failed()) return checked;
  build_rule_tree(checked.data, all);
  run({rename_locals, number_variables, rewrite_templates, refuse_void_values, rewrite_prints,
       lift_calls, rewrite_metadata_calls, lift_results, rewrite_withs});
  if (failed()) return checked;
  refuse_conflicts(context);
  run({refuse_undefined_functions, order_bodies, lift_refs});
  if (context.wants_second_ordering) run({order_bodies});
  if (failed()) return checked;
  checked.order = order_rules(context);
  if (failed()) return checked;
  checked.types = check_types(context, checked.order);
  run({refuse_forbidden_functions});
  for (auto* const module : all)
    for (auto* const first : module->rules)
      for (auto* rule = first; rule != nullptr; rule = rule->otherwise)
        rule->variables = first->variables;
  return checked;
}

CheckedQuery check_query(ast::Body query, Checked const& modules, CompileOptions const& options,
                         Arena& arena, Diagnostics& errors) {
  CheckedQuery checked;
  Context context{.options = options,
                  .arena = arena,
                  .errors = errors,
                  .tree = modules.data,
                  .original_names = checked.original_names,
                  .names_of_rules = &modules.original_names,
                  .in_query = true,
                  .strict = options.strict};
  if (query.empty()) {
    context.error(Code::Compile, {}, "empty query cannot be compiled");
    return checked;
  }
  checked.body = query;
  auto& body = checked.body;

  auto const before = errors.size();
  using Pass = void (*)(Context&, Body&);
  auto const run = [&](std::initializer_list<Pass> passes) {
    for (auto const pass : passes) {
      if (errors.size() > before) return;
      pass(context, body);
    }
  };

  run({refuse_shadowing, resolve_names});
  if (errors.size() > before) return checked;
  auto const captures = capture_values(context, body);
  run({rename_locals});
  if (errors.size() > before) return checked;
  number_variables(context, body, checked.variables);
  for (auto const* const var : captures)
    checked.expressions.push_back(var == nullptr ? CheckedQuery::kTrue : number_of(*var));
  run({rewrite_templates, refuse_void_values, rewrite_prints, lift_calls, lift_results,
       rewrite_withs, refuse_undefined_functions, order_bodies, lift_refs});
  if (context.wants_second_ordering) run({order_bodies});
  if (errors.size() > before) return checked;
  check_types(context, body, modules.types.get());
  run({refuse_forbidden_functions});
  checked.variable_count = context.next_number;
  return checked;
}

}  // namespace sallyport::rego
