#include "src/rego/same_tree.hpp"

#include <algorithm>

namespace sallyport::rego {
namespace {

using ast::Body;
using ast::Expr;
using ast::Rule;
using ast::Term;
using ast::Terms;

bool same(Term const* left, Term const* right);
bool same(Expr const* left, Expr const* right);
bool same(Rule const* left, Rule const* right);
bool same(ast::With const& left, ast::With const& right);

template <class T>
bool same_list(ast::List<T> const& left, ast::List<T> const& right) {
  return std::ranges::equal(left, right, [](T const& a, T const& b) { return same(a, b); });
}

bool same(Term const* left, Term const* right) {
  if (left == nullptr || right == nullptr) return left == right;
  // Which number a wildcard has says nothing.
  auto const both_wildcards = left->name.starts_with('$') && right->name.starts_with('$');
  return left->kind == right->kind && left->infix == right->infix &&
         equal(left->value, right->value) && (both_wildcards || left->name == right->name) &&
         same_list(left->items, right->items) && same_list(left->body, right->body);
}

bool same(ast::With const& left, ast::With const& right) {
  return same(left.target, right.target) && same(left.value, right.value);
}

bool same(Expr const* left, Expr const* right) {
  return left->kind == right->kind && left->negated == right->negated &&
         left->in_braces == right->in_braces && left->left_in_braces == right->left_in_braces &&
         left->right_in_braces == right->right_in_braces && same(left->term, right->term) &&
         same_list(left->symbols, right->symbols) && same(left->domain, right->domain) &&
         same_list(left->body, right->body) && same_list(left->left, right->left) &&
         same_list(left->right, right->right) && same_list(left->with, right->with);
}

// A body that says only `true` is none.
bool same_bodies(Body const& left, Body const& right) {
  auto const says_nothing = [](Body const& body) {
    return body.empty() ||
           (body.size() == 1 && body[0]->kind == ast::ExprKind::Term && !body[0]->negated &&
            body[0]->with.empty() && body[0]->term->value.is_true());
  };
  return (says_nothing(left) && says_nothing(right)) || same_list(left, right);
}

bool same(Rule const* left, Rule const* right) {
  for (; left != nullptr && right != nullptr; left = left->otherwise, right = right->otherwise) {
    if (left->kind != right->kind || left->is_default != right->is_default ||
        left->is_function != right->is_function || !same(left->reference, right->reference) ||
        !same_list(left->parameters, right->parameters) || !same(left->key, right->key) ||
        !same(left->value, right->value) || !same_bodies(left->body, right->body)) {
      return false;
    }
  }
  return left == right;
}

// The formatter sorts imports.
bool same_imports(ast::Module const& left, ast::Module const& right) {
  auto const has = [](ast::Module const& module, ast::Import const& wanted) {
    return std::ranges::any_of(module.imports, [&](ast::Import const& import) {
      return import.alias == wanted.alias && same(import.path, wanted.path);
    });
  };
  return left.imports.size() == right.imports.size() &&
         std::ranges::all_of(left.imports,
                             [&](ast::Import const& import) { return has(right, import); });
}

}  // namespace

bool same_tree(ast::Module const& left, ast::Module const& right) {
  return same(left.package, right.package) && same_imports(left, right) &&
         same_list(left.rules, right.rules);
}

}  // namespace sallyport::rego
