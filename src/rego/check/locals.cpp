// Declared variables get names of their own, so that a name means one variable wherever it stands.
// `:=`, `some` and `some … in` have then said all they had to say and become eq().
#include "src/rego/check/passes.hpp"
#include "src/rego/check/scopes.hpp"
#include "src/rego/check/walk.hpp"

#include <algorithm>

namespace sallyport::rego::check {
namespace {

enum class Occurrence : std::uint8_t { Seen, Argument, Assigned, Declared };

struct Local {
  std::string_view renamed;
  Occurrence occurrence{Occurrence::Seen};
  std::uint32_t count{1};
  Location at{};
};

bool is_bare_root(Term const& term) {
  return term.kind == TermKind::Ref && term.items.size() == 1 && is_var(*term.items[0]) &&
         is_root_name(term.items[0]->name);
}

void become_var(Term& term, std::string_view name) {
  term.kind = TermKind::Var;
  term.name = name;
  term.items = {};
}

class Renamer {
 public:
  explicit Renamer(Context& context) : context_{context} {}

  void rename_chain(Rule& first) {
    errors_before_ = context_.errors.size();
    for (auto* const parameter : first.parameters) rename_closures(*parameter);
    for (auto* rule = &first; rule != nullptr; rule = rule->otherwise) rename_head_closures(*rule);
    rename_parameters(first);
    auto const arguments = locals_.size();
    auto const patterns = lift_patterns(first);
    for (auto* rule = &first; rule != nullptr; rule = rule->otherwise) {
      rule->parameters = first.parameters;
      rename_rule(*rule);
      if (!patterns.empty()) prepend(*rule, patterns);
      locals_.drop_from(arguments);
    }
    if (context_.strict) report_unused_arguments(first);
    locals_.drop_from(0);
  }

  void rename_query(Body& query) {
    errors_before_ = context_.errors.size();
    rename_body(query, {});
  }

 private:
  using Used = std::span<Term* const>;

  // Comprehensions in a head are scopes of their own, but see what the body declares; so they come
  // first, when nothing is declared yet.
  void rename_head_closures(Rule& rule) {
    for_each_head_term(rule, [&](Term& term) { rename_closures(term); });
  }

  void rename_closures(Term& term) {
    walk_term(
        term,
        [&](Term& inner) {
          if (!is_comprehension(inner) && inner.kind != TermKind::Template) return true;
          auto const begin = locals_.enter();
          rename(inner);
          locals_.leave(begin);
          return false;
        },
        kGoOn);
  }

  template <class Visit>
  void for_each_head_term(Rule& rule, Visit&& visit) {
    for (std::size_t i = 1; i < rule.reference->items.size(); ++i) visit(*rule.reference->items[i]);
    if (rule.key != nullptr) visit(*rule.key);
    if (rule.value != nullptr) visit(*rule.value);
  }

  void rename_parameters(Rule& rule) {
    for (auto* const parameter : rule.parameters) rename_parameter(*parameter, rule);
  }

  void rename_parameter(Term& term, Rule const& rule) {
    switch (term.kind) {
      case TermKind::Var: {
        auto* const known = locals_.find(term.name);
        if (known != nullptr) ++known->count;
        term.name = known != nullptr ? known->renamed
                                     : insert(term.name, Occurrence::Argument, term.at).renamed;
        return;
      }
      case TermKind::Object:
        for (std::size_t i = 1; i < term.items.size(); i += 2)
          rename_parameter(*term.items[i], rule);
        return;
      case TermKind::Array:
        for (auto* const item : term.items) rename_parameter(*item, rule);
        return;
      case TermKind::Call:
        context_.error(Code::Compile, term.at, "rule arguments cannot contain calls");
        return;
      case TermKind::Constant:
      case TermKind::Ref:
      case TermKind::Set:
      case TermKind::ArrayOf:
      case TermKind::SetOf:
      case TermKind::ObjectOf:
      case TermKind::Template: return;
    }
  }

  // f([x, y]) becomes f(__local2__) with eq(__local2__, [x, y]) to prepend; also f(x, x).
  std::vector<Expr*> lift_patterns(Rule& rule) {
    std::vector<Expr*> patterns;
    std::vector<std::string_view> seen;
    Terms parameters;
    for (auto* const parameter : rule.parameters) {
      auto const plain =
          is_var(*parameter) && std::ranges::find(seen, parameter->name) == seen.end();
      if (plain) {
        seen.push_back(parameter->name);
        parameters.push_back(context_.arena, parameter);
        continue;
      }
      auto* const var = context_.fresh_name_var(parameter->at);
      parameters.push_back(context_.arena, var);
      patterns.push_back(context_.make_eq(var, parameter, parameter->at));
    }
    rule.parameters = parameters;
    return patterns;
  }

  void prepend(Rule& rule, std::vector<Expr*> const& patterns) {
    Body body;
    for (auto const* const pattern : patterns) {
      auto* const copy = context_.arena.make<Expr>(*pattern);
      copy->term = context_.deep_copy(*pattern->term);
      body.push_back(context_.arena, copy);
    }
    for (auto* const expr : rule.body) body.push_back(context_.arena, expr);
    rule.body = body;
  }

  void rename_rule(Rule& rule) {
    std::vector<Term*> head;
    for_each_head_term(rule, [&](Term& term) { head.push_back(&term); });
    rename_body(rule.body, head);
    for (auto* const term : head) rename_to_declared(*term);
  }

  // Names in the head that the body or the parameters declare.
  void rename_to_declared(Term& term) {
    if (is_var(term)) {
      if (auto* const local = locals_.find(term.name)) {
        ++local->count;
        term.name = local->renamed;
      }
      return;
    }
    if (is_bare_root(term)) {
      auto* const local = locals_.find(term.items[0]->name);
      if (local != nullptr && local->occurrence != Occurrence::Seen)
        become_var(term, local->renamed);
      return;
    }
    for (std::size_t i = term.kind == TermKind::Call ? 1 : 0; i < term.items.size(); ++i)
      rename_to_declared(*term.items[i]);
    for (auto* const expr : term.body) rename_to_declared(*expr);
  }

  void rename_to_declared(Expr& expr) {
    if (expr.term != nullptr) rename_to_declared(*expr.term);
    for (auto* const symbol : expr.symbols) rename_to_declared(*symbol);
    if (expr.domain != nullptr) rename_to_declared(*expr.domain);
    for (auto* const body : {&expr.body, &expr.left, &expr.right})
      for (auto* const inner : *body) rename_to_declared(*inner);
    for (auto& with : expr.with)
      if (!with.value_is_function) rename_to_declared(*with.value);
  }

  void rename_body(Body& body, Used used) {
    auto const begin = scope_begin();
    Body result;
    for (auto* const expr : body)
      if (rename(*expr)) result.push_back(context_.arena, expr);
    body = result;
    report_unused(begin, used);
  }

  // Entries of the scope at hand come last.
  std::size_t scope_begin() {
    auto begin = locals_.size();
    while (begin > 0 && locals_[begin - 1].depth == locals_.depth()) --begin;
    return begin;
  }

  void rename_body_in_scope(Body& body) {
    auto const begin = locals_.enter();
    rename_body(body, {});
    locals_.leave(begin);
  }

  // False: the expression has nothing left to do.
  bool rename(Expr& expr) {
    switch (expr.kind) {
      case ExprKind::Term:
        if (is_assignment(expr)) return rename_assignment(expr);
        rename(*expr.term);
        break;
      case ExprKind::Some:
        for (auto const* const symbol : expr.symbols)
          declare(symbol->name, Occurrence::Declared, expr.at);
        return false;
      case ExprKind::SomeIn: return rename_some_in(expr);
      case ExprKind::Every: rename_every(expr); return true;
      case ExprKind::Body: rename_operand(expr.body, expr.in_braces); break;
      case ExprKind::And:
      case ExprKind::Or:
        rename_operand(expr.left, expr.left_in_braces);
        rename_operand(expr.right, expr.right_in_braces);
        break;
    }
    rename_with(expr);
    return true;
  }

  // What is not in braces declares nothing.
  void rename_operand(Body& body, bool in_braces) {
    if (in_braces) {
      rename_body_in_scope(body);
      return;
    }
    Body result;
    for (auto* const expr : body) {
      if (is_assignment(*expr))
        context_.error(Code::Compile, expr->at, "cannot assign vars inside negated expression");
      else if (rename(*expr))
        result.push_back(context_.arena, expr);
    }
    body = result;
  }

  void rename_with(Expr& expr) {
    for (auto& with : expr.with) {
      if (with.target->kind == TermKind::Ref)
        for (std::size_t i = 1; i < with.target->items.size(); ++i) rename(*with.target->items[i]);
      if (!with.value_is_function) rename(*with.value);
    }
  }

  bool rename_assignment(Expr& expr) {
    if (expr.negated) {
      context_.error(Code::Compile, expr.at, "cannot assign vars inside negated expression");
      return true;
    }
    rename(*expr.term->items[2]);
    rename_with(expr);
    assign_to(*expr.term->items[1]);
    expr.term->items[0] = context_.make_var("eq", expr.term->items[0]->at);
    expr.was_assignment = true;
    return true;
  }

  void assign_to(Term& target) {
    if (is_bare_root(target)) become_var(target, target.items[0]->name);
    switch (target.kind) {
      case TermKind::Var:
        if (auto const* const local = declare(target.name, Occurrence::Assigned, target.at))
          target.name = local->renamed;
        return;
      case TermKind::Array:
        for (auto* const item : target.items) assign_to(*item);
        return;
      case TermKind::Object:
        for (std::size_t i = 1; i < target.items.size(); i += 2) assign_to(*target.items[i]);
        return;
      case TermKind::Constant:
      case TermKind::Ref:
      case TermKind::Call:
      case TermKind::Set:
      case TermKind::ArrayOf:
      case TermKind::SetOf:
      case TermKind::ObjectOf:
      case TermKind::Template:
        context_.error(Code::Compile, target.at,
                       "cannot assign to " + std::string{kind_name(target)});
        return;
    }
  }

  // some k, v in xs: eq(v, xs[k])
  bool rename_some_in(Expr& expr) {
    auto* const value = expr.symbols.back();
    auto* const key = expr.symbols.size() == 2 ? expr.symbols[0] : context_.fresh_name_var(expr.at);
    std::vector<std::string_view> of_domain;
    walk_term(
        *expr.domain,
        [&](Term& term) {
          if (is_var(term)) of_domain.push_back(term.name);
          return true;
        },
        kGoOn);
    // The domain may use a name that the patterns declare: it then means the one outside.
    rename(*expr.domain);
    if (expr.symbols.size() == 2) declare_pattern(*key, of_domain, expr.at);
    declare_pattern(*value, of_domain, expr.at);
    if (expr.symbols.size() == 2) rename(*key);
    rename(*value);
    rename_with(expr);

    auto* const element = context_.make(TermKind::Ref, expr.domain->at);
    if (expr.domain->kind == TermKind::Ref)
      element->items = context_.copy_items(expr.domain->items);
    else
      element->items.push_back(context_.arena, expr.domain);
    element->items.push_back(context_.arena, key);
    expr.kind = ExprKind::Term;
    expr.term = context_.make_call("eq", {value, element}, expr.at);
    expr.domain = nullptr;
    expr.symbols = {};
    return true;
  }

  void declare_pattern(Term const& term, std::vector<std::string_view> const& of_domain,
                       Location const& at) {
    switch (term.kind) {
      case TermKind::Var:
        if (std::ranges::find(of_domain, term.name) != of_domain.end()) return;
        // `some [x, x] in xs` declares it once.
        if (auto const* const local = locals_.find_here(term.name);
            local != nullptr && local->at.offset == at.offset &&
            local->occurrence == Occurrence::Declared)
          return;
        declare(term.name, Occurrence::Declared, at);
        return;
      case TermKind::Array:
        for (auto const* const item : term.items) declare_pattern(*item, of_domain, at);
        return;
      case TermKind::Object:
        for (std::size_t i = 1; i < term.items.size(); i += 2)
          declare_pattern(*term.items[i], of_domain, at);
        return;
      case TermKind::Constant:
      case TermKind::Ref:
      case TermKind::Call:
      case TermKind::Set:
      case TermKind::ArrayOf:
      case TermKind::SetOf:
      case TermKind::ObjectOf:
      case TermKind::Template: return;
    }
  }

  void rename_every(Expr& expr) {
    rename(*expr.domain);
    rename_with(expr);
    auto const begin = locals_.enter();
    if (expr.symbols.size() == 1) {
      Terms both;
      both.push_back(context_.arena, context_.fresh_name_var(expr.at));
      both.push_back(context_.arena, expr.symbols[0]);
      expr.symbols = both;
    }
    for (auto* const symbol : expr.symbols) {
      if (is_wildcard(symbol->name) || symbol->name.starts_with("__local")) continue;
      if (auto const* const local = declare(symbol->name, Occurrence::Declared, expr.at))
        symbol->name = local->renamed;
    }
    rename_body(expr.body, {});
    locals_.leave(begin);
  }

  void rename(Term& term) {
    switch (term.kind) {
      case TermKind::Constant: return;
      case TermKind::Var: rename_var(term); return;
      case TermKind::Ref:
        if (is_bare_root(term)) {
          auto const* const local = locals_.find(term.items[0]->name);
          if (local != nullptr && local->occurrence != Occurrence::Seen)
            become_var(term, local->renamed);
          return;
        }
        break;
      case TermKind::Call: refuse_shadowed_function(term); break;
      case TermKind::Array:
      case TermKind::Set:
      case TermKind::Object:
      case TermKind::Template: break;
      case TermKind::ArrayOf:
      case TermKind::SetOf:
      case TermKind::ObjectOf: {
        auto const begin = locals_.enter();
        rename_body(term.body, {term.items.begin(), term.items.size()});
        for (auto* const item : term.items) rename(*item);
        locals_.leave(begin);
        return;
      }
    }
    for (std::size_t i = term.kind == TermKind::Call ? 1 : 0; i < term.items.size(); ++i)
      rename(*term.items[i]);
  }

  void rename_var(Term& var) {
    if (auto* const local = locals_.find(var.name)) {
      ++local->count;
      var.name = local->renamed;
    } else if (!is_root_name(var.name)) {
      locals_.insert(var.name, {var.name, Occurrence::Seen, 1, var.at});
    }
  }

  void refuse_shadowed_function(Term const& call) {
    if (call.infix) return;
    auto const& function = *call.items[0];
    auto const& head = function.kind == TermKind::Ref ? *function.items[0] : function;
    if (!is_var(head)) return;
    auto const* const local = locals_.find(head.name.substr(0, head.name.find('.')));
    if (local != nullptr && local->renamed != local->name)
      context_.error(Code::Compile, call.at,
                     "called function " + to_text(context_, function) + " shadowed");
  }

  // Null where the name is taken.
  Local const* declare(std::string_view name, Occurrence occurrence, Location const& at) {
    if (auto const* const local = locals_.find_here(name)) {
      auto const text = std::string{is_wildcard(name) ? "_" : name};
      switch (local->occurrence) {
        case Occurrence::Seen:
          context_.error(Code::Compile, at, "var " + text + " referenced above");
          break;
        case Occurrence::Assigned:
          context_.error(Code::Compile, at, "var " + text + " assigned above");
          break;
        case Occurrence::Declared:
          context_.error(Code::Compile, at, "var " + text + " declared above");
          break;
        case Occurrence::Argument:
          context_.error(Code::Compile, at, "arg " + text + " redeclared");
          break;
      }
      return nullptr;
    }
    return &insert(name, occurrence, at);
  }

  Local& insert(std::string_view name, Occurrence occurrence, Location const& at) {
    auto const renamed = context_.fresh_name();
    context_.original_names.emplace(renamed, name);
    return locals_.insert(name, {renamed, occurrence, 1, at});
  }

  void report_unused(std::size_t begin, Used used) {
    if (context_.errors.size() > errors_before_) return;
    for (auto i = begin; i < locals_.size(); ++i) {
      auto const& local = locals_[i];
      if (local.count > 1 || is_wildcard(local.name)) continue;
      auto const declared = local.occurrence == Occurrence::Declared;
      auto const assigned = local.occurrence == Occurrence::Assigned && context_.strict;
      if ((!declared && !assigned) || occurs_in(local.name, used)) continue;
      context_.error(
          Code::Compile, local.at,
          (declared ? "declared var " : "assigned var ") + std::string{local.name} + " unused");
    }
  }

  static bool occurs_in(std::string_view name, Used terms) {
    auto found = false;
    for (auto* const term : terms)
      walk_term(
          *term,
          [&](Term& inner) {
            found = found || (is_var(inner) && inner.name == name);
            return !found;
          },
          kGoOn);
    return found;
  }

  void report_unused_arguments(Rule const& rule) {
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      auto const& local = locals_[i];
      if (local.occurrence == Occurrence::Argument && local.count <= 1 && !is_wildcard(local.name))
        context_.error(Code::Compile, rule.at,
                       "unused argument " + std::string{local.name} +
                           ". (hint: use _ (wildcard variable) instead)");
    }
  }

  Context& context_;
  Scopes<Local> locals_;
  std::size_t errors_before_{0};
};

}  // namespace

void rename_locals(Context& context, Modules const& modules) {
  Renamer renamer{context};
  for (auto* const module : modules)
    for (auto* const rule : module->rules) renamer.rename_chain(*rule);
}

void rename_locals(Context& context, Body& query) {
  Renamer{context}.rename_query(query);
}

}  // namespace sallyport::rego::check
