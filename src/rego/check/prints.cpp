// print(x, y) becomes internal.print([{a | a = x}, {b | b = y}]): an operand that is undefined must
// not end the evaluation.
#include "src/rego/check/bindings.hpp"
#include "src/rego/check/passes.hpp"
#include "src/rego/check/walk.hpp"

namespace sallyport::rego::check {
namespace {

class PrintRewriter {
 public:
  explicit PrintRewriter(Context& context) : context_{context} {}

  void rewrite(Rule& rule) {
    VarSet bound;
    for (auto const* const parameter : rule.parameters) add_vars(*parameter, {}, bound);
    rewrite(rule.body, bound);
    auto known = outputs_of(context_, rule.body, bound);
    known.add(bound);
    if (rule.key != nullptr) rewrite_inside(*rule.key, known);
    if (rule.value != nullptr) rewrite_inside(*rule.value, known);
  }

  // Operands may use only what stands before the print.
  void rewrite(Body& body, VarSet const& bound) {
    auto known = bound;
    for (auto* const expr : body) {
      rewrite_inside(*expr, known);
      if (builtin_called(*expr) == "print") rewrite_print(*expr, known);
      known.add(outputs_of(context_, *expr, known));
    }
  }

 private:
  void rewrite_inside(Expr& expr, VarSet const& known) {
    if (expr.term != nullptr) rewrite_inside(*expr.term, known);
    if (expr.domain != nullptr) rewrite_inside(*expr.domain, known);
    if (!expr.body.empty()) {
      auto inside = known;
      for (auto const* const symbol : expr.symbols) add_vars(*symbol, {}, inside);
      rewrite(expr.body, inside);
    }
    rewrite(expr.left, known);
    rewrite(expr.right, known);
  }

  void rewrite_inside(Term& term, VarSet const& known) {
    for (auto* const item : term.items) rewrite_inside(*item, known);
    if (!term.body.empty()) rewrite(term.body, known);
  }

  void rewrite_print(Expr& expr, VarSet const& known) {
    auto const at = expr.term->at;
    auto* const operands = context_.make(TermKind::Array, at);
    for (std::size_t i = 1; i < expr.term->items.size(); ++i)
      operands->items.push_back(context_.arena, capture(*expr.term->items[i], known));
    expr.term = context_.make_call("internal.print", {operands}, at);
  }

  Term* capture(Term& operand, VarSet const& known) {
    refuse_undeclared(context_, operand, known, Unnamed::Allowed);
    auto* const set = context_.make(TermKind::SetOf, operand.at);
    auto* const var = context_.fresh_var(operand.at);
    set->items.push_back(context_.arena, var);
    set->body.push_back(context_.arena, context_.make_eq(var, &operand, operand.at));
    return set;
  }

  Context& context_;
};

}  // namespace

void rewrite_prints(Context& context, Modules const& modules) {
  if (!context.has_prints) return;
  PrintRewriter rewriter{context};
  for_each_rule_with_variables(context, modules, [&](Rule& rule) { rewriter.rewrite(rule); });
}

void rewrite_prints(Context& context, Body& query) {
  if (context.has_prints) PrintRewriter{context}.rewrite(query, {});
}

}  // namespace sallyport::rego::check
