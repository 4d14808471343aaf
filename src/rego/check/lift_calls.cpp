// Calls inside terms become expressions of their own, before the one that they stood in: what
// f(g(x)) computes first is then to be seen.
#include "src/rego/check/passes.hpp"
#include "src/rego/check/walk.hpp"

namespace sallyport::rego::check {
namespace {

class Lifter {
 public:
  explicit Lifter(Context& context) : context_{context} {}

  void lift(Rule& rule) {
    auto const lift_head = [&](Term*& term) {
      if (term == nullptr || is_scalar(*term)) return;
      Body support;
      term = lift(term, support);
      append(rule.body, support);
    };
    lift_head(rule.key);
    lift_head(rule.value);
    lift(rule.body);
  }

  void lift(Body& body) {
    if (!has_work(body)) return;
    Body result;
    for (auto* const expr : body) lift(*expr, result);
    body = result;
  }

 private:
  static bool has_calls(Term const& term) {
    if (term.kind == TermKind::Call || is_comprehension(term)) return true;
    if (term.kind == TermKind::Ref && !is_var(*term.items[0])) return true;
    for (auto const* const item : term.items)
      if (has_calls(*item)) return true;
    return false;
  }

  static bool has_work(Body const& body) {
    for (auto const* const expr : body) {
      if (expr->kind != ExprKind::Term || !expr->with.empty()) return true;
      auto const& term = *expr->term;
      if (term.kind != TermKind::Call) {
        if (has_calls(term)) return true;
        continue;
      }
      for (std::size_t i = 1; i < term.items.size(); ++i)
        if (has_calls(*term.items[i])) return true;
    }
    return false;
  }

  void append(Body& body, Body const& more) {
    for (auto* const expr : more) body.push_back(context_.arena, expr);
  }

  void lift(Expr& expr, Body& result) {
    for (auto& with : expr.with)
      if (!with.value_is_function) with.value = lift(with.value, result);
    switch (expr.kind) {
      case ExprKind::Term: lift_term(expr, result); break;
      case ExprKind::Every: lift_domain(expr, result); break;
      case ExprKind::Body: lift(expr.body); break;
      case ExprKind::And:
      case ExprKind::Or:
        lift(expr.left);
        lift(expr.right);
        break;
      case ExprKind::Some:
      case ExprKind::SomeIn: break;
    }
    result.push_back(context_.arena, &expr);
  }

  void lift_term(Expr& expr, Body& result) {
    Body support;
    if (expr.term->kind == TermKind::Call) {
      for (std::size_t i = 1; i < expr.term->items.size(); ++i)
        expr.term->items[i] = lift(expr.term->items[i], support);
    } else {
      expr.term = lift(expr.term, support);
    }
    for (auto* const lifted : support) lifted->with = expr.with;
    append(result, support);
  }

  void lift_domain(Expr& expr, Body& result) {
    auto* const var = context_.fresh_var(expr.domain->at);
    auto* const eq = context_.make_eq(var, expr.domain, expr.domain->at);
    eq->with = expr.with;
    lift_term(*eq, result);
    result.push_back(context_.arena, eq);
    expr.domain = var;
    lift(expr.body);
  }

  Term* lift(Term* term, Body& support) {
    switch (term->kind) {
      case TermKind::Constant:
      case TermKind::Var: return term;
      case TermKind::Call: return lift_call(term, support);
      case TermKind::Ref: lift_ref(*term, support); return term;
      case TermKind::Array:
      case TermKind::Set:
      case TermKind::Object:
      case TermKind::Template:
        for (auto& item : term->items) item = lift(item, support);
        return term;
      case TermKind::ArrayOf:
      case TermKind::SetOf:
      case TermKind::ObjectOf: {
        Body inside;
        for (auto& item : term->items) item = lift(item, inside);
        append(term->body, inside);
        lift(term->body);
        return term;
      }
    }
    return term;
  }

  Term* lift_call(Term* call, Body& support) {
    for (std::size_t i = 1; i < call->items.size(); ++i)
      call->items[i] = lift(call->items[i], support);
    auto* const result = context_.fresh_var(call->at);
    call->items.push_back(context_.arena, result);
    support.push_back(context_.arena, context_.make_expr(call, call->at));
    return result;
  }

  // [1, 2][i] becomes __local0__ = [1, 2] and __local0__[i].
  void lift_ref(Term& ref, Body& support) {
    auto const* const written = ref.items[0];
    for (auto& item : ref.items) item = lift(item, support);
    auto*& head = ref.items[0];
    if (head != written) context_.subjects.emplace(head->name, written);
    if (is_var(*head)) return;
    if (head->kind == TermKind::Ref) {
      auto items = context_.copy_items(head->items);
      for (std::size_t i = 1; i < ref.items.size(); ++i)
        items.push_back(context_.arena, ref.items[i]);
      ref.items = items;
      return;
    }
    auto* const var = context_.fresh_var(head->at);
    context_.subjects.emplace(var->name, head);
    support.push_back(context_.arena, context_.make_eq(var, head, head->at));
    head = var;
  }

  Context& context_;
};

}  // namespace

void lift_calls(Context& context, Modules const& modules) {
  Lifter lifter{context};
  for_each_rule_with_variables(context, modules, [&](Rule& rule) { lifter.lift(rule); });
}

void lift_calls(Context& context, Body& query) {
  Lifter{context}.lift(query);
}

}  // namespace sallyport::rego::check
