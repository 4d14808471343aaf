// What `with` may replace, and by what.
#include "src/rego/check/passes.hpp"
#include "src/rego/check/walk.hpp"
#include "src/rego/type.hpp"

#include <algorithm>
#include <unordered_set>

namespace sallyport::rego::check {
namespace {

bool is_constant(Term const* term) {
  return is_scalar(*term);
}

bool is_function(RuleTree const* node) {
  return node != nullptr && !node->rules.empty() && !node->rules.front()->parameters.empty();
}

class WithRewriter {
 public:
  explicit WithRewriter(Context& context) : context_{context} {}

  void rewrite(Body& body) {
    Body result;
    for (auto* const expr : body) {
      for (auto& with : expr->with) rewrite(with, result);
      rewrite_inside(*expr);
      result.push_back(context_.arena, expr);
    }
    if (result.size() != body.size()) body = result;
  }

 private:
  void rewrite_inside(Expr& expr) {
    rewrite(expr.body);
    rewrite(expr.left);
    rewrite(expr.right);
    if (expr.term != nullptr) rewrite_inside(*expr.term);
    if (expr.domain != nullptr) rewrite_inside(*expr.domain);
    for (auto& with : expr.with) rewrite_inside(*with.value);
  }

  void rewrite_inside(Term& term) {
    for (auto* const item : term.items) rewrite_inside(*item);
    if (!term.body.empty()) rewrite(term.body);
  }

  void rewrite(With& with, Body& result) {
    // What was lifted out of an expression shares its modifiers.
    if (!seen_.insert(&with).second) return;
    if (!check(with) || with.value_is_function || !needs_evaluation(*with.value)) return;
    auto* const var = context_.fresh_var(with.value->at);
    result.push_back(context_.arena, context_.make_eq(var, with.value, with.value->at));
    with.value = var;
  }

  bool refuse(Code code, Location const& at, std::string message) {
    context_.error(code, at, std::move(message));
    return false;
  }

  bool check(With& with) {
    auto const& target = *with.target;
    if (with.value_is_function && is_refused(with.value->name))
      return refuse(Code::Compile, with.value->at,
                    "with keyword replacing built-in function: target must not be unsafe: \"" +
                        std::string{with.value->name} + '"');
    if (target.kind == TermKind::Ref &&
        !std::ranges::all_of(target.items.begin() + 1, target.items.end(), is_constant))
      return refuse(Code::Compile, target.at, "with keyword target must be a path of constants");
    if (starts_with(target, "data")) return check_data(with);
    if (starts_with(target, "input")) return check_value_is_no_function(with);
    if (is_var(target) && !is_numbered(target)) {
      if (is_refused(target.name))
        return refuse(Code::Compile, target.at,
                      "with keyword replacing built-in function: target must not be unsafe: \"" +
                          std::string{target.name} + '"');
      if (find_signature(target.name) != nullptr) return check_builtin(with);
    }
    return refuse(Code::Type, target.at,
                  "with keyword target must reference existing input, data, or a function");
  }

  bool check_value_is_no_function(With& with) {
    auto const names_rule =
        starts_with(*with.value, "data") && is_function(find_node(context_.tree, *with.value));
    if (!with.value_is_function && !names_rule) return true;
    return refuse(Code::Type, with.value->at,
                  "function " + to_text(context_, *with.value) + " used as reference, not called");
  }

  bool check_data(With& with) {
    auto const& items = with.target->items;
    auto const* node = &context_.tree;
    for (std::size_t i = 1; node != nullptr && i < items.size(); ++i) {
      if (!node->rules.empty())
        return refuse(Code::Compile, with.target->at,
                      "with keyword cannot partially replace virtual document(s)");
      node = is_scalar(*items[i]) ? node->find(items[i]->value) : nullptr;
    }
    if (!is_function(node)) return check_value_is_no_function(with);
    mark_function_value(with);
    return true;
  }

  bool check_builtin(With& with) {
    auto const name = with.target->name;
    auto const at = with.target->at;
    std::string const what = "with keyword replacing built-in function: ";
    if (name == "eq" || name == "rego.metadata.chain" || name == "rego.metadata.rule")
      return refuse(Code::Compile, at,
                    what + "replacement of \"" + std::string{name} + "\" invalid");
    if (name.starts_with("internal."))
      return refuse(
          Code::Compile, at,
          what + "replacement of internal function \"" + std::string{name} + "\" invalid");
    auto const* const builtin = find_builtin(name);
    if (builtin != nullptr && (builtin->flags & Builtin::kRelation) != 0)
      return refuse(Code::Compile, at, what + "target must not be a relation");
    if (find_signature(name)->result == nullptr)
      return refuse(Code::Compile, at, what + "target must not be a void function");
    mark_function_value(with);
    return true;
  }

  void mark_function_value(With& with) {
    if (starts_with(*with.value, "data") && is_function(find_node(context_.tree, *with.value)))
      with.value_is_function = true;
  }

  bool is_refused(std::string_view name) const {
    return std::ranges::find(context_.options.refused_builtins, name) !=
           context_.options.refused_builtins.end();
  }

  Context& context_;
  std::unordered_set<With const*> seen_;
};

}  // namespace

void rewrite_withs(Context& context, Modules const& modules) {
  WithRewriter rewriter{context};
  for_each_rule_with_variables(context, modules, [&](Rule& rule) { rewriter.rewrite(rule.body); });
}

void rewrite_withs(Context& context, Body& query) {
  WithRewriter{context}.rewrite(query);
}

}  // namespace sallyport::rego::check
