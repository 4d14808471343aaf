// Calls name functions that exist, with the operands that they take, and that may be called.
#include "src/rego/check/passes.hpp"
#include "src/rego/check/walk.hpp"
#include "src/rego/type.hpp"

#include <algorithm>

namespace sallyport::rego::check {
namespace {

bool is_call(Expr const& expr) {
  return expr.kind == ExprKind::Term && expr.term->kind == TermKind::Call;
}

// "have: (string, any)" and "want: (string)"
std::string arity_details(Term const& call, std::size_t operands, Signature const& signature) {
  std::string have;
  for (std::size_t i = 1; i <= operands; ++i) {
    if (i > 1) have += ", ";
    auto const& operand = *call.items[i];
    have += is_scalar(operand) ? std::string{name_of(operand.value.kind())} : "any";
  }
  std::string want;
  for (auto const* const parameter : signature.parameters) {
    if (!want.empty()) want += ", ";
    want += to_text(parameter);
  }
  return "\n\thave: (" + have + ")\n\twant: (" + want + ")";
}

void check_call(Context& context, Expr const& expr) {
  auto const& call = *expr.term;
  auto const& function = *call.items[0];
  auto const arity = arity_of(context, function);
  auto const is_rule = !is_var(function);
  if (arity < 0 || (is_rule && arity == 0)) {
    context.error(Code::Type, expr.at, "undefined function " + to_text(context, function));
    return;
  }
  auto const* const signature = is_rule ? nullptr : find_signature(function.name);
  if (signature != nullptr && signature->variadic) return;
  auto const wanted = static_cast<std::size_t>(arity);
  auto given = call.items.size() - 1;
  auto const has_result = expr.generated && !is_eq(expr);
  auto const fits = has_result ? given == wanted + 1 : given == wanted || given == wanted + 1;
  if (fits) return;
  if (has_result) --given;
  auto const name = to_text(context, function);
  if (signature != nullptr)
    context.error(Code::Type, expr.at,
                  name + ": arity mismatch" + arity_details(call, given, *signature));
  else
    context.error(Code::Type, expr.at,
                  "function " + name + " has arity " + std::to_string(arity) + ", got " +
                      std::to_string(given) + (given == 1 ? " argument" : " arguments"));
}

auto checker(Context& context) {
  return [&context](Expr& expr) {
    if (is_call(expr)) check_call(context, expr);
    return true;
  };
}

auto forbidder(Context& context, bool refuse_deprecated) {
  return [&context, refuse_deprecated](Expr& expr) {
    auto const name = builtin_called(expr);
    if (name.empty() || name == "eq") return true;
    auto const& refused = context.options.refused_builtins;
    if (std::ranges::find(refused, name) != refused.end())
      context.error(Code::Type, expr.at,
                    "unsafe built-in function calls in expression: " + std::string{name});
    if (!refuse_deprecated) return true;
    auto const* const builtin = find_builtin(name);
    if (builtin != nullptr && (builtin->flags & Builtin::kDeprecated) != 0)
      context.error(Code::Type, expr.at,
                    "deprecated built-in function calls in expression: " + std::string{name});
    return true;
  };
}

void refuse_void(Context& context, Term& term) {
  walk_term(
      term,
      [&](Term& inner) {
        if (inner.kind != TermKind::Call || !is_var(*inner.items[0])) return true;
        auto const* const signature = find_signature(inner.items[0]->name);
        if (signature != nullptr && signature->result == nullptr)
          context.error(Code::Type, inner.at, to_text(context, inner) + " used as value");
        return true;
      },
      [&](Expr& expr) {
        // A call that is an expression is no value; its operands are.
        if (!is_call(expr)) return true;
        for (std::size_t i = 1; i < expr.term->items.size(); ++i)
          refuse_void(context, *expr.term->items[i]);
        return false;
      });
}

void refuse_void(Context& context, Body& body) {
  for (auto* const expr : body) {
    // Walked as part of a comprehension, so that expressions are met as such.
    Term whole;
    whole.kind = TermKind::ArrayOf;
    std::array one{expr};
    whole.body = Body{std::span<Expr*>{one}};
    refuse_void(context, whole);
  }
}

}  // namespace

void refuse_undefined_functions(Context& context, Modules const& modules) {
  for (auto* const module : modules)
    for_each_rule(*module, [&](Rule& rule) { walk_body(rule.body, kGoOn, checker(context)); });
}

void refuse_undefined_functions(Context& context, Body& query) {
  walk_body(query, kGoOn, checker(context));
}

void refuse_forbidden_functions(Context& context, Modules const& modules) {
  for (auto* const module : modules) {
    auto const forbid = forbidder(context, module->v1 || context.strict);
    for_each_rule(*module, [&](Rule& rule) { walk_body(rule.body, kGoOn, forbid); });
  }
}

void refuse_forbidden_functions(Context& context, Body& query) {
  walk_body(query, kGoOn, forbidder(context, context.strict));
}

void refuse_void_values(Context& context, Modules const& modules) {
  if (!context.has_prints) return;
  for (auto* const module : modules) {
    for_each_rule(*module, [&](Rule& rule) {
      for (std::size_t i = 1; i < rule.reference->items.size(); ++i)
        refuse_void(context, *rule.reference->items[i]);
      if (rule.key != nullptr) refuse_void(context, *rule.key);
      if (rule.value != nullptr) refuse_void(context, *rule.value);
      refuse_void(context, rule.body);
    });
  }
}

void refuse_void_values(Context& context, Body& query) {
  if (context.has_prints) refuse_void(context, query);
}

}  // namespace sallyport::rego::check
