#include "src/rego/check/context.hpp"

#include "src/rego/type.hpp"

#include <array>
#include <charconv>

namespace sallyport::rego::check {

void Context::error(Code code, Location const& at, std::string message, std::string hint) {
  errors.push_back(
      {.code = code, .message = std::move(message), .hint = std::move(hint), .file = {}, .at = at});
}

std::string_view Context::fresh_name() {
  std::array<char, 32> text{};
  while (true) {
    auto* end = std::copy_n(in_query ? "__localq" : "__local", in_query ? 8 : 7, text.data());
    end = std::to_chars(end, text.data() + 24, next_local++).ptr;
    *end++ = '_';
    *end++ = '_';
    std::string_view const name{text.data(), static_cast<std::size_t>(end - text.data())};
    if (!taken_names.contains(name)) return arena.copy(name);
  }
}

Term* Context::fresh_name_var(Location const& at) {
  return make_var(fresh_name(), at);
}

Term* Context::fresh_var(Location const& at) {
  auto* const var = fresh_name_var(at);
  var->value = Value::integer(next_number++);
  return var;
}

std::string_view Context::original(std::string_view name) const {
  if (auto const found = original_names.find(name); found != original_names.end())
    return found->second;
  if (names_of_rules != nullptr)
    if (auto const found = names_of_rules->find(name); found != names_of_rules->end())
      return found->second;
  return name;
}

Term* Context::make(TermKind kind, Location const& at) {
  auto* const term = arena.make<Term>();
  term->kind = kind;
  term->at = at;
  return term;
}

Term* Context::make_var(std::string_view name, Location const& at) {
  auto* const term = make(TermKind::Var, at);
  term->name = name;
  return term;
}

Term* Context::make_text(std::string_view text, Location const& at) {
  auto* const term = make(TermKind::Constant, at);
  term->value = Value::string(text);
  return term;
}

Term* Context::make_call(std::string_view builtin, std::initializer_list<Term*> operands,
                         Location const& at) {
  auto* const call = make(TermKind::Call, at);
  call->items.push_back(arena, make_var(builtin, at));
  for (auto* const operand : operands) call->items.push_back(arena, operand);
  return call;
}

Expr* Context::make_expr(Term* term, Location const& at) {
  auto* const expr = arena.make<Expr>();
  expr->generated = true;
  expr->at = at;
  expr->term = term;
  return expr;
}

Expr* Context::make_eq(Term* left, Term* right, Location const& at) {
  return make_expr(make_call("eq", {left, right}, at), at);
}

Terms Context::copy_items(Terms const& items) {
  Terms copy;
  for (auto* const item : items) copy.push_back(arena, item);
  return copy;
}

Term* Context::deep_copy(Term const& term) {
  auto* const copy = arena.make<Term>(term);
  copy->items = {};
  for (auto* const item : term.items) copy->items.push_back(arena, deep_copy(*item));
  copy->body = deep_copy(term.body);
  return copy;
}

Body Context::deep_copy(Body const& body) {
  Body copies;
  for (auto const* const expr : body) {
    auto* const copy = arena.make<Expr>(*expr);
    if (expr->term != nullptr) copy->term = deep_copy(*expr->term);
    if (expr->domain != nullptr) copy->domain = deep_copy(*expr->domain);
    copy->symbols = {};
    for (auto const* const symbol : expr->symbols)
      copy->symbols.push_back(arena, deep_copy(*symbol));
    copy->body = deep_copy(expr->body);
    copy->left = deep_copy(expr->left);
    copy->right = deep_copy(expr->right);
    copy->with = {};
    for (auto with : expr->with) {
      with.target = deep_copy(*with.target);
      with.value = deep_copy(*with.value);
      copy->with.push_back(arena, with);
    }
    copies.push_back(arena, copy);
  }
  return copies;
}

bool is_generated(std::string_view name) {
  return name.starts_with("__local") || is_wildcard(name);
}

bool starts_with(Term const& term, std::string_view root) {
  return term.kind == TermKind::Ref && is_var(*term.items[0]) && !is_numbered(*term.items[0]) &&
         term.items[0]->name == root;
}

std::string_view builtin_called(Expr const& expr) {
  if (expr.kind != ExprKind::Term || expr.term->kind != TermKind::Call) return {};
  auto const& function = *expr.term->items[0];
  return is_var(function) ? function.name : std::string_view{};
}

bool is_eq(Expr const& expr) {
  return builtin_called(expr) == "eq" && expr.term->items.size() == 3;
}

bool is_assignment(Expr const& expr) {
  return builtin_called(expr) == "assign" && expr.term->items.size() == 3;
}

bool is_ground(Term const& term) {
  switch (term.kind) {
    case TermKind::Constant: return true;
    case TermKind::Array:
    case TermKind::Set:
    case TermKind::Object:
      for (auto const* const item : term.items)
        if (!is_ground(*item)) return false;
      return true;
    case TermKind::Var:
    case TermKind::Ref:
    case TermKind::Call:
    case TermKind::ArrayOf:
    case TermKind::SetOf:
    case TermKind::ObjectOf:
    case TermKind::Template: return false;
  }
  return false;
}

bool needs_evaluation(Term const& term) {
  if (term.kind == TermKind::Ref || term.kind == TermKind::Call || is_comprehension(term))
    return true;
  for (auto const* const item : term.items)
    if (needs_evaluation(*item)) return true;
  return false;
}

RuleTree const* find_node(RuleTree const& data, Term const& ref) {
  auto const* node = &data;
  for (std::size_t i = 1; i < ref.items.size(); ++i) {
    if (!is_scalar(*ref.items[i])) return nullptr;
    node = node->find(ref.items[i]->value);
    if (node == nullptr) return nullptr;
  }
  return node;
}

int arity_of(Context const& context, Term const& function) {
  if (is_var(function)) {
    auto const* const signature = find_signature(function.name);
    return signature == nullptr ? -1 : static_cast<int>(signature->parameters.size());
  }
  if (!starts_with(function, "data")) return -1;
  auto const* const node = find_node(context.tree, function);
  if (node == nullptr || node->rules.empty()) return -1;
  return static_cast<int>(node->rules.front()->parameters.size());
}

}  // namespace sallyport::rego::check
