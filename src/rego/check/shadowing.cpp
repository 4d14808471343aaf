// Nothing may take the names `input` and `data`, and no import the name of another.
#include "src/rego/check/passes.hpp"
#include "src/rego/check/walk.hpp"

namespace sallyport::rego::check {
namespace {

std::string_view root_assigned(Expr const& expr) {
  if (!is_assignment(expr)) return {};
  auto const* target = expr.term->items[1];
  if (target->kind == TermKind::Ref && target->items.size() == 1) target = target->items[0];
  return is_var(*target) && is_root_name(target->name) ? target->name : std::string_view{};
}

void refuse_assignments(Context& context, Expr& expr) {
  if (auto const name = root_assigned(expr); !name.empty())
    context.error(
        Code::Compile, expr.at,
        "variables must not shadow " + std::string{name} + " (use a different variable name)");
}

void refuse_duplicate_imports(Context& context, ast::Module const& module) {
  std::map<std::string_view, ast::Import const*> seen;
  for (auto const& import : module.imports) {
    auto const& last = *import.path->items.back();
    auto const of_path = is_var(last) ? last.name : last.value.as_string();
    auto const name = import.alias.empty() ? of_path : import.alias;
    auto const [place, is_new] = seen.emplace(name, &import);
    if (!is_new)
      context.error(Code::Compile, import.at,
                    "import must not shadow import " + to_text(context, *place->second->path));
  }
}

}  // namespace

void refuse_shadowing(Context& context, Modules const& modules) {
  auto const before = context.errors.size();
  for (auto* const module : modules) {
    if (!module->v1 && !context.strict) continue;
    for (auto const* const rule : module->rules) {
      auto const name = rule->reference->items[0]->name;
      if (is_root_name(name))
        context.error(
            Code::Compile, rule->at,
            "rules must not shadow " + std::string{name} + " (use a different rule name)");
    }
    for_each_rule(*module, [&](Rule& rule) {
      walk_rule(rule, kGoOn, [&](Expr& expr) {
        refuse_assignments(context, expr);
        return true;
      });
    });
  }
  if (context.errors.size() > before) return;
  for (auto const* const module : modules)
    if (module->v1 || context.strict) refuse_duplicate_imports(context, *module);
}

void refuse_shadowing(Context& context, Body& query) {
  if (!context.strict) return;
  walk_body(query, kGoOn, [&](Expr& expr) {
    refuse_assignments(context, expr);
    return true;
  });
}

}  // namespace sallyport::rego::check
