// Every variable gets a number. A name that nobody declared belongs to the outermost body that uses
// it outside of its closures; the same name in two closures beside each other is two variables.
#include "src/rego/check/passes.hpp"
#include "src/rego/check/scopes.hpp"
#include "src/rego/check/walk.hpp"

namespace sallyport::rego::check {
namespace {

struct Numbered {
  std::string_view name;
  std::uint32_t number{0};
};

class Numberer {
 public:
  explicit Numberer(Context& context) : context_{context} {}

  void number_chain(Rule& first) {
    context_.next_number = 0;
    for (auto* const parameter : first.parameters) number_direct(*parameter);
    auto const parameters = variables_.size();
    for (auto* rule = &first; rule != nullptr; rule = rule->otherwise) {
      number_rule(*rule);
      variables_.drop_from(parameters);
    }
    first.variables = context_.next_number;
    variables_.drop_from(0);
  }

  void number_query(Body& query, std::vector<CheckedQuery::Variable>& named) {
    context_.next_number = 0;
    named_ = &named;
    number_body(query);
  }

 private:
  void number_rule(Rule& rule) {
    closures_ = 0;
    for (auto* const expr : rule.body) number_direct(*expr);
    for (std::size_t i = 1; i < rule.reference->items.size(); ++i)
      number_direct(*rule.reference->items[i]);
    if (rule.key != nullptr) number_direct(*rule.key);
    if (rule.value != nullptr) number_direct(*rule.value);
    if (closures_ == 0) return;
    for (auto* const expr : rule.body) number_closures(*expr);
    for (std::size_t i = 1; i < rule.reference->items.size(); ++i)
      number_closures(*rule.reference->items[i]);
    if (rule.key != nullptr) number_closures(*rule.key);
    if (rule.value != nullptr) number_closures(*rule.value);
  }

  void number_body(Body& body) {
    for (auto* const expr : body) number_direct(*expr);
    for (auto* const expr : body) number_closures(*expr);
  }

  void number_body_in_scope(Body& body) {
    auto const begin = variables_.enter();
    number_body(body);
    variables_.leave(begin);
  }

  void number_direct(Expr& expr) {
    switch (expr.kind) {
      case ExprKind::Term: number_direct(*expr.term); break;
      case ExprKind::Every:
        number_direct(*expr.domain);
        ++closures_;
        break;
      case ExprKind::Some:
      case ExprKind::SomeIn:
      case ExprKind::Body:
      case ExprKind::And:
      case ExprKind::Or: ++closures_; break;
    }
    for (auto& with : expr.with) {
      if (with.target->kind == TermKind::Ref)
        for (std::size_t i = 1; i < with.target->items.size(); ++i)
          number_direct(*with.target->items[i]);
      if (!with.value_is_function) number_direct(*with.value);
    }
  }

  void number_direct(Term& term) {
    if (is_var(term)) {
      number_var(term);
      return;
    }
    if (is_comprehension(term) || term.kind == TermKind::Template) {
      ++closures_;
      return;
    }
    std::size_t from = 0;
    if (term.kind == TermKind::Call) from = 1;
    if (term.kind == TermKind::Ref && is_root_head(term)) from = 1;
    for (auto i = from; i < term.items.size(); ++i) number_direct(*term.items[i]);
  }

  bool is_root_head(Term const& ref) {
    return is_var(*ref.items[0]) && is_root_name(ref.items[0]->name);
  }

  void number_var(Term& var) {
    if (is_root_name(var.name)) {
      // Shadowed elsewhere in the rule, but not here.
      auto* const head = context_.make_var(var.name, var.at);
      var.kind = TermKind::Ref;
      var.items.push_back(context_.arena, head);
      return;
    }
    auto const* variable = variables_.find(var.name);
    if (variable == nullptr) variable = &variables_.insert(var.name, make_variable(var.name));
    var.name = static_cast<Numbered const*>(variable)->name;
    var.value = Value::integer(variable->number);
  }

  Numbered make_variable(std::string_view name) {
    auto const number = context_.next_number++;
    if (context_.in_query && variables_.depth() == 0) {
      auto const original = context_.original(name);
      if (!is_generated(original)) {
        named_->push_back({original, number});
        return {original, number};
      }
    }
    if (name.starts_with("__local") && !context_.taken_names.contains(name)) return {name, number};
    auto const fresh = context_.fresh_name();
    context_.original_names.emplace(fresh, name);
    return {fresh, number};
  }

  void number_closures(Expr& expr) {
    switch (expr.kind) {
      case ExprKind::Term: number_closures(*expr.term); break;
      case ExprKind::Every: {
        number_closures(*expr.domain);
        auto const begin = variables_.enter();
        for (auto* const symbol : expr.symbols) number_direct(*symbol);
        number_body(expr.body);
        variables_.leave(begin);
        break;
      }
      case ExprKind::Body: number_body_in_scope(expr.body); break;
      case ExprKind::And:
      case ExprKind::Or:
        number_body_in_scope(expr.left);
        number_body_in_scope(expr.right);
        break;
      case ExprKind::Some:
      case ExprKind::SomeIn: break;
    }
    for (auto& with : expr.with)
      if (!with.value_is_function) number_closures(*with.value);
  }

  void number_closures(Term& term) {
    if (is_comprehension(term) || term.kind == TermKind::Template) {
      auto const begin = variables_.enter();
      for (auto* const expr : term.body) number_direct(*expr);
      for (auto* const item : term.items) number_direct(*item);
      for (auto* const expr : term.body) number_closures(*expr);
      for (auto* const item : term.items) number_closures(*item);
      variables_.leave(begin);
      return;
    }
    for (auto* const item : term.items) number_closures(*item);
  }

  Context& context_;
  Scopes<Numbered> variables_;
  std::vector<CheckedQuery::Variable>* named_{nullptr};
  std::size_t closures_{0};
};

}  // namespace

void number_variables(Context& context, Modules const& modules) {
  Numberer numberer{context};
  for (auto* const module : modules)
    for (auto* const rule : module->rules) numberer.number_chain(*rule);
}

void number_variables(Context& context, Body& query, std::vector<CheckedQuery::Variable>& named) {
  Numberer{context}.number_query(query, named);
}

}  // namespace sallyport::rego::check
