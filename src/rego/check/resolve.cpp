// What names mean: rules of the package and imports become refs that start with `data` or `input`,
// functions of the language their full names.
#include "src/rego/check/passes.hpp"
#include "src/rego/check/walk.hpp"
#include "src/rego/type.hpp"

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace sallyport::rego::check {
namespace {

using NameSet = std::unordered_set<std::string_view>;

bool is_import_of_language(ast::Import const& import) {
  auto const& root = *import.path->items[0];
  return is_var(root) && (root.name == "future" || root.name == "rego");
}

std::string_view name_of(ast::Import const& import) {
  if (!import.alias.empty()) return import.alias;
  auto const& last = *import.path->items.back();
  return is_var(last) ? last.name : last.value.as_string();
}

std::string package_key(ast::Module const& module) {
  std::string key;
  for (std::size_t i = 1; i < module.package->items.size(); ++i) {
    key += module.package->items[i]->value.as_string();
    key += '\0';
  }
  return key;
}

class Resolver {
 public:
  explicit Resolver(Context& context) : context_{context} {}
  Resolver(Context& context, ast::Module& module, NameSet const& rules)
      : context_{context}, module_{&module}, rules_{&rules} {
    for (auto const& import : module.imports)
      if (!is_import_of_language(import)) imports_[name_of(import)] = {&import};
  }

  void resolve(Rule& rule) {
    declared_.clear();
    for (auto* const parameter : rule.parameters)
      if (!declare_parameter(*parameter)) return;
    declare_all(rule.body, +1);
    for (std::size_t i = 1; i < rule.reference->items.size(); ++i)
      rule.reference->items[i] = resolve(rule.reference->items[i]);
    if (rule.key != nullptr) rule.key = resolve(rule.key);
    if (rule.value != nullptr) rule.value = resolve(rule.value);
    resolve(rule.body);
  }

  void resolve_query(Body& query) {
    declare_all(query, +1);
    resolve(query);
  }

  void report_unused_imports() {
    for (auto const& import : module_->imports) {
      if (is_import_of_language(import)) continue;
      auto const found = imports_.find(name_of(import));
      if (found->second.import == &import && !found->second.used)
        context_.error(Code::Compile, import.at,
                       "import " + to_text(context_, *import.path) +
                           (import.alias.empty() ? "" : " as " + std::string{import.alias}) +
                           " unused");
    }
  }

 private:
  struct Imported {
    ast::Import const* import{nullptr};
    bool used{false};
  };

  // False where it is refused.
  bool declare_parameter(Term& term) {
    switch (term.kind) {
      case TermKind::Var:
        if (is_root_name(term.name)) return refuse_shadowing_parameter(term, term.name);
        declare(term.name, +1);
        return true;
      case TermKind::Ref:
        if (term.items.size() == 1 && is_var(*term.items[0]) && is_root_name(term.items[0]->name))
          return refuse_shadowing_parameter(term, term.items[0]->name);
        return true;
      case TermKind::Array:
        for (auto* const item : term.items)
          if (!declare_parameter(*item)) return false;
        return true;
      case TermKind::Object:
        for (std::size_t i = 1; i < term.items.size(); i += 2)
          if (!declare_parameter(*term.items[i])) return false;
        return true;
      case TermKind::Constant:
      case TermKind::Call:
      case TermKind::Set:
      case TermKind::ArrayOf:
      case TermKind::SetOf:
      case TermKind::ObjectOf:
      case TermKind::Template: return true;
    }
    return true;
  }

  bool refuse_shadowing_parameter(Term const& term, std::string_view name) {
    context_.error(
        Code::Compile, term.at,
        "args must not shadow " + std::string{name} + " (use a different variable name)");
    return false;
  }

  void declare(std::string_view name, int by) {
    note_name(name);
    declared_[name] += by;
  }

  void declare_vars(Term& term, int by) {
    walk_term(
        term,
        [&](Term& inner) {
          if (is_var(inner)) declare(inner.name, by);
          return true;
        },
        kGoOn);
  }

  // What `:=` and `some` declare in a body and in the bodies inside it, but for comprehensions.
  void declare_all(Body& body, int by) {
    for (auto* const expr : body) {
      switch (expr->kind) {
        case ExprKind::Term:
          if (is_assignment(*expr)) declare_vars(*expr->term->items[1], by);
          break;
        case ExprKind::Some:
        case ExprKind::SomeIn:
          for (auto* const symbol : expr->symbols) declare_vars(*symbol, by);
          break;
        case ExprKind::Every:
        case ExprKind::Body: declare_all(expr->body, by); break;
        case ExprKind::And:
        case ExprKind::Or:
          declare_all(expr->left, by);
          declare_all(expr->right, by);
          break;
      }
    }
  }

  void note_name(std::string_view name) {
    if (name.starts_with("__local")) context_.taken_names.insert(name);
  }

  bool is_declared(std::string_view name) const {
    auto const found = declared_.find(name);
    return found != declared_.end() && found->second > 0;
  }

  // The ref that a name stands for; null where it is no name of the package or an import.
  Term* global(std::string_view name, Location const& at) {
    auto const imported = imports_.find(name);
    auto const is_rule = imported == imports_.end() && rules_ != nullptr && rules_->contains(name);
    if ((imported == imports_.end() && !is_rule) || is_declared(name)) return nullptr;
    auto const& path = is_rule ? *module_->package : *imported->second.import->path;
    auto* const ref = context_.make(TermKind::Ref, at);
    for (auto const* const item : path.items) {
      auto* const copy = context_.arena.make<Term>(*item);
      copy->at = at;
      ref->items.push_back(context_.arena, copy);
    }
    if (is_rule)
      ref->items.push_back(context_.arena, context_.make_text(name, at));
    else
      imported->second.used = true;
    return ref;
  }

  Term* resolve(Term* term) {
    switch (term->kind) {
      case TermKind::Constant: return term;
      case TermKind::Var: return resolve_var(term);
      case TermKind::Ref: return resolve_ref(term);
      case TermKind::Call: return resolve_call(term);
      case TermKind::Array:
      case TermKind::Set:
      case TermKind::Object:
      case TermKind::Template:
        context_.has_templates |= term->kind == TermKind::Template;
        resolve_items(*term, 0);
        return term;
      case TermKind::ArrayOf:
      case TermKind::SetOf:
      case TermKind::ObjectOf:
        declare_all(term->body, +1);
        resolve_items(*term, 0);
        resolve(term->body);
        declare_all(term->body, -1);
        return term;
    }
    return term;
  }

  void resolve_items(Term& term, std::size_t from) {
    for (auto i = from; i < term.items.size(); ++i) term.items[i] = resolve(term.items[i]);
  }

  Term* resolve_var(Term* var) {
    note_name(var->name);
    if (auto* const ref = global(var->name, var->at)) return ref;
    if (!is_root_name(var->name) || is_declared(var->name)) return var;
    auto* const ref = context_.make(TermKind::Ref, var->at);
    ref->items.push_back(context_.arena, var);
    return ref;
  }

  Term* resolve_ref(Term* ref) {
    resolve_items(*ref, 1);
    auto* const head = ref->items[0];
    if (!is_var(*head)) {
      ref->items[0] = resolve(head);
      // A ref inside brackets, as in (a.b).c, is one path.
      return ref;
    }
    note_name(head->name);
    auto* const path = global(head->name, head->at);
    if (path == nullptr) return ref;
    for (std::size_t i = 1; i < ref->items.size(); ++i)
      path->items.push_back(context_.arena, ref->items[i]);
    ref->items = path->items;
    return ref;
  }

  Term* resolve_call(Term* call) {
    auto*& function = call->items[0];
    if (!call->infix) function = resolve_function(function);
    if (is_var(*function)) note_function(function->name);
    resolve_items(*call, 1);
    return call;
  }

  void note_function(std::string_view name) {
    context_.has_prints |= name == "print";
    context_.has_metadata_calls |= name == "rego.metadata.rule" || name == "rego.metadata.chain";
  }

  Term* resolve_function(Term* function) {
    if (is_var(*function)) {
      auto* const ref = global(function->name, function->at);
      return ref != nullptr ? ref : function;
    }
    if (function->kind != TermKind::Ref) return function;
    auto* const ref = resolve_ref(function);
    auto const& head = *ref->items[0];
    if (!is_var(head) || is_root_name(head.name)) return ref;
    std::string name{head.name};
    for (std::size_t i = 1; i < ref->items.size(); ++i) {
      auto const& item = *ref->items[i];
      if (!is_scalar(item) || !item.value.is(Kind::String)) return ref;
      name += '.';
      name += item.value.as_string();
    }
    return context_.make_var(context_.arena.copy(name), ref->at);
  }

  void resolve(Body& body) {
    for (auto* const expr : body) resolve(*expr);
  }

  void resolve(Expr& expr) {
    switch (expr.kind) {
      case ExprKind::Term: expr.term = resolve(expr.term); break;
      case ExprKind::Some: break;
      case ExprKind::SomeIn:
        for (auto& symbol : expr.symbols) symbol = resolve(symbol);
        expr.domain = resolve(expr.domain);
        break;
      case ExprKind::Every:
        for (auto* const symbol : expr.symbols) declare_vars(*symbol, +1);
        expr.domain = resolve(expr.domain);
        resolve(expr.body);
        for (auto* const symbol : expr.symbols) declare_vars(*symbol, -1);
        break;
      case ExprKind::Body: resolve(expr.body); break;
      case ExprKind::And:
      case ExprKind::Or:
        resolve(expr.left);
        resolve(expr.right);
        break;
    }
    for (auto& with : expr.with) resolve(with);
    if (expr.negated && expr.kind != ExprKind::Term && expr.kind != ExprKind::Body) wrap(expr);
  }

  void resolve(With& with) {
    with.target = resolve_function(resolve(with.target));
    with.value = resolve(with.value);
    auto* const function = resolve_function(with.value);
    auto const is_builtin = is_var(*function) &&
                            !is_declared(function->name.substr(0, function->name.find('.'))) &&
                            find_signature(function->name) != nullptr;
    if (!is_builtin) return;
    with.value = function;
    with.value_is_function = true;
  }

  // `not every …` becomes `not { every … }`, so that later passes meet negation in two forms only.
  void wrap(Expr& expr) {
    auto* const inner = context_.arena.make<Expr>(expr);
    inner->negated = false;
    inner->with = {};
    auto const with = expr.with;
    auto const at = expr.at;
    expr = {};
    expr.kind = ExprKind::Body;
    expr.negated = true;
    expr.in_braces = true;
    expr.at = at;
    expr.with = with;
    expr.body.push_back(context_.arena, inner);
  }

  Context& context_;
  ast::Module* module_{nullptr};
  NameSet const* rules_{nullptr};
  std::unordered_map<std::string_view, Imported> imports_;
  std::unordered_map<std::string_view, int> declared_;
};

}  // namespace

void resolve_names(Context& context, Modules const& modules) {
  std::unordered_map<std::string, NameSet> rules_of_packages;
  for (auto const* const module : modules) {
    auto& names = rules_of_packages[package_key(*module)];
    for (auto const* const rule : module->rules) names.insert(rule->reference->items[0]->name);
  }
  for (auto* const module : modules) {
    Resolver resolver{context, *module, rules_of_packages[package_key(*module)]};
    for_each_rule(*module, [&](Rule& rule) { resolver.resolve(rule); });
    if (context.strict) resolver.report_unused_imports();
  }
}

void resolve_names(Context& context, Body& query) {
  Resolver{context}.resolve_query(query);
}

}  // namespace sallyport::rego::check
