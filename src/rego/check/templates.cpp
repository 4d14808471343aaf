// $"a{x}b" becomes internal.template_string(["a", {x}, "b"]): what may be undefined is the only
// element of a set, or none.
#include "src/rego/check/bindings.hpp"
#include "src/rego/check/passes.hpp"
#include "src/rego/check/walk.hpp"

namespace sallyport::rego::check {
namespace {

class TemplateRewriter {
 public:
  explicit TemplateRewriter(Context& context) : context_{context} {}

  void rewrite(Rule& rule) {
    VarSet bound;
    for (auto const* const parameter : rule.parameters) add_vars(*parameter, {}, bound);
    auto const known = rewrite(rule.body, bound);
    for (std::size_t i = 1; i < rule.reference->items.size(); ++i)
      rewrite(*rule.reference->items[i], known);
    if (rule.key != nullptr) rewrite(*rule.key, known);
    if (rule.value != nullptr) rewrite(*rule.value, known);
  }

  // Returns what is bound where the body has been evaluated.
  VarSet rewrite(Body& body, VarSet const& bound) {
    auto known = outputs_of(context_, body, bound);
    known.add(bound);
    for (auto* const expr : body) rewrite(*expr, known);
    return known;
  }

 private:
  void rewrite(Expr& expr, VarSet const& known) {
    if (expr.term != nullptr) rewrite(*expr.term, known);
    if (expr.domain != nullptr) rewrite(*expr.domain, known);
    if (!expr.body.empty()) {
      auto inside = known;
      for (auto const* const symbol : expr.symbols) add_vars(*symbol, {}, inside);
      rewrite(expr.body, inside);
    }
    rewrite(expr.left, known);
    rewrite(expr.right, known);
    for (auto& with : expr.with)
      if (!with.value_is_function) rewrite(*with.value, known);
  }

  void rewrite(Term& term, VarSet const& known) {
    if (is_comprehension(term)) {
      auto const inside = rewrite(term.body, known);
      for (auto* const item : term.items) rewrite(*item, inside);
      return;
    }
    for (auto* const item : term.items) rewrite(*item, known);
    if (term.kind == TermKind::Template) rewrite_template(term, known);
  }

  void rewrite_template(Term& term, VarSet const& known) {
    auto* const parts = context_.make(TermKind::Array, term.at);
    for (auto* const item : term.items)
      parts->items.push_back(context_.arena, part_of(*item, known));
    if (term.items.empty()) parts->items.push_back(context_.arena, context_.make_text("", term.at));
    auto* const call = context_.make_call("internal.template_string", {parts}, term.at);
    term.kind = TermKind::Call;
    term.items = call->items;
  }

  Term* part_of(Term& part, VarSet const& known) {
    auto const is_text = is_scalar(part) && part.value.is(Kind::String);
    if (is_text || (part.kind == TermKind::SetOf && part.raw)) return &part;
    if (is_var(part) || is_ground(part)) {
      auto* const set = context_.make(TermKind::Set, part.at);
      set->items.push_back(context_.arena, &part);
      return set;
    }
    refuse_relation(part);
    refuse_undeclared(context_, part, known, Unnamed::Refused);
    auto* const set = context_.make(TermKind::SetOf, part.at);
    auto* const var = context_.fresh_var(part.at);
    set->items.push_back(context_.arena, var);
    set->body.push_back(context_.arena, context_.make_eq(var, &part, part.at));
    return set;
  }

  void refuse_relation(Term const& part) {
    if (part.kind != TermKind::Call || !is_var(*part.items[0])) return;
    auto const* const builtin = find_builtin(part.items[0]->name);
    if (builtin == nullptr || (builtin->flags & Builtin::kRelation) == 0) return;
    context_.error(Code::Compile, part.at,
                   "illegal call to relation built-in '" + std::string{builtin->name} +
                       "' that may cause multiple outputs");
  }

  Context& context_;
};

}  // namespace

void rewrite_templates(Context& context, Modules const& modules) {
  if (!context.has_templates) return;
  TemplateRewriter rewriter{context};
  for_each_rule_with_variables(context, modules, [&](Rule& rule) { rewriter.rewrite(rule); });
}

void rewrite_templates(Context& context, Body& query) {
  if (context.has_templates) TemplateRewriter{context}.rewrite(query, {});
}

}  // namespace sallyport::rego::check
