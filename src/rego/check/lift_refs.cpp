// Refs and comprehensions inside other terms become expressions of their own, so that operands are
// values. Runs once bodies are ordered: it keeps their order.
#include "src/rego/check/passes.hpp"
#include "src/rego/check/walk.hpp"

namespace sallyport::rego::check {
namespace {

class Lifter {
 public:
  explicit Lifter(Context& context) : context_{context} {}

  void lift(Body& body) {
    Body result;
    for (auto* const expr : body) {
      switch (expr->kind) {
        case ExprKind::Term: lift_term(*expr, result); break;
        case ExprKind::Every:
          expr->domain = lift(expr->domain, *expr, result);
          lift(expr->body);
          break;
        case ExprKind::Body: lift(expr->body); break;
        case ExprKind::And:
        case ExprKind::Or:
          lift(expr->left);
          lift(expr->right);
          break;
        case ExprKind::Some:
        case ExprKind::SomeIn: break;
      }
      result.push_back(context_.arena, expr);
    }
    if (result.size() != body.size()) body = result;
  }

 private:
  void lift_term(Expr& expr, Body& result) {
    auto*& term = expr.term;
    if (term->kind != TermKind::Call) {
      term = lift_inside(term, expr, result);
      return;
    }
    rewrite_equal(*term);
    auto const eq = is_eq(expr);
    for (std::size_t i = 1; i < term->items.size(); ++i)
      term->items[i] =
          eq ? lift_inside(term->items[i], expr, result) : lift(term->items[i], expr, result);
  }

  // In rules a == b only ever says whether they are equal; eq() says it as well, and can be
  // indexed.
  void rewrite_equal(Term& call) {
    if (!context_.in_query && call.items.size() == 3 && is_var(*call.items[0]) &&
        call.items[0]->name == "equal")
      call.items[0] = context_.make_var("eq", call.items[0]->at);
  }

  // A ref or comprehension stays where it is; what stands inside it does not.
  Term* lift_inside(Term* term, Expr const& of, Body& result) {
    if (term->kind == TermKind::Ref) {
      for (std::size_t i = 1; i < term->items.size(); ++i)
        term->items[i] = lift(term->items[i], of, result);
      return term;
    }
    if (is_comprehension(*term)) {
      lift(term->body);
      return term;
    }
    return lift(term, of, result);
  }

  Term* lift(Term* term, Expr const& of, Body& result) {
    switch (term->kind) {
      case TermKind::Constant:
      case TermKind::Var:
      case TermKind::Call:
      case TermKind::Template: return term;
      case TermKind::Array:
      case TermKind::Set:
      case TermKind::Object:
        for (auto& item : term->items) item = lift(item, of, result);
        return term;
      case TermKind::Ref:
      case TermKind::ArrayOf:
      case TermKind::SetOf:
      case TermKind::ObjectOf: {
        lift_inside(term, of, result);
        auto* const var = context_.fresh_var(term->at);
        auto* const eq = context_.make_eq(var, term, term->at);
        eq->with = of.with;
        result.push_back(context_.arena, eq);
        return var;
      }
    }
    return term;
  }

  Context& context_;
};

}  // namespace

void lift_refs(Context& context, Modules const& modules) {
  Lifter lifter{context};
  for_each_rule_with_variables(context, modules, [&](Rule& rule) { lifter.lift(rule.body); });
}

void lift_refs(Context& context, Body& query) {
  Lifter{context}.lift(query);
}

}  // namespace sallyport::rego::check
