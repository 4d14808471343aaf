// Types of terms that are, or may be, of a type.
#include "src/rego/check/type_env.hpp"

#include <algorithm>

namespace sallyport::rego::check {
namespace {

// With a type of several kinds, each that fits is a possibility.
bool unify_choice(TypeEnv& env, Term const& term, Type const* choice) {
  if (choice->parts.empty()) {
    for (auto const* const item : term.items) unify(env, *item, &types::kAny, true);
    return true;
  }
  auto fits = false;
  for (auto const* const part : choice->parts) fits = unify(env, term, part, true) || fits;
  return fits;
}

bool unify_array(TypeEnv& env, Term const& term, Type const* type, bool as_alternative) {
  if (term.items.size() != type->parts.size() && type->rest == nullptr) return false;
  for (std::size_t i = 0; i < term.items.size(); ++i) {
    auto const* const of_item = i < type->parts.size() ? type->parts[i] : type->rest;
    if (of_item == nullptr || !unify(env, *term.items[i], of_item, as_alternative)) return false;
  }
  return true;
}

bool unify_object(TypeEnv& env, Term const& term, Type const* type, bool as_alternative) {
  if (term.items.size() / 2 != type->properties.size() && !type->open) return false;
  for (std::size_t i = 0; i + 1 < term.items.size(); i += 2) {
    auto const& key = *term.items[i];
    auto const& value = *term.items[i + 1];
    if (!is_scalar(key)) {
      unify(env, value, &types::kAny, as_alternative);
      continue;
    }
    auto const* const child = types::select(env.arena(), type, key.value);
    if (child == nullptr || !unify(env, value, child, as_alternative)) return false;
  }
  return true;
}

bool unify_set(TypeEnv& env, Term const& term, Type const* type, bool as_alternative) {
  return std::ranges::all_of(
      term.items, [&](Term const* item) { return unify(env, *item, type->rest, as_alternative); });
}

bool unify_var(TypeEnv& env, Term const& var, Type const* type, bool as_alternative) {
  auto const* const known = env.of_var(var);
  if (as_alternative) {
    env.set(var, types::either(env.arena(), known, type));
    return true;
  }
  if (known != nullptr) return types::unify(known, type);
  env.set(var, type);
  return true;
}

// Both unknown: what is known of one becomes known of the other.
bool unify_unknown(TypeEnv& env, Term const& left, Term const& right) {
  return unify(env, left, &types::kAny) && unify(env, right, env.of(left));
}

bool unify_arrays(TypeEnv& env, Term const& left, Term const& right) {
  if (left.items.size() != right.items.size()) return false;
  for (std::size_t i = 0; i < left.items.size(); ++i)
    if (!unify(env, *left.items[i], env.of(*left.items[i]), *right.items[i],
               env.of(*right.items[i])))
      return false;
  return true;
}

bool unify_objects(TypeEnv& env, Term const& left, Term const& right) {
  if (left.items.size() != right.items.size()) return false;
  for (std::size_t i = 0; i + 1 < left.items.size(); i += 2) {
    auto const& key = *left.items[i];
    // Which property a variable names is not known.
    if (!is_scalar(key)) return true;
    Term const* other = nullptr;
    for (std::size_t j = 0; other == nullptr && j + 1 < right.items.size(); j += 2)
      if (is_scalar(*right.items[j]) && equal(right.items[j]->value, key.value))
        other = right.items[j + 1];
    if (other == nullptr) return false;
    auto const& value = *left.items[i + 1];
    if (!unify(env, value, env.of(value), *other, env.of(*other))) return false;
  }
  return true;
}

bool is_collection(Term const& term) {
  return term.kind == TermKind::Array || term.kind == TermKind::Object;
}

}  // namespace

bool unify(TypeEnv& env, Term const& term, Type const* type, bool as_alternative) {
  if (type == nullptr) return true;
  switch (term.kind) {
    case TermKind::Var: return unify_var(env, term, type, as_alternative);
    case TermKind::Array:
      if (type->kind == TypeKind::Any) return unify_choice(env, term, type);
      return type->kind == TypeKind::Array && unify_array(env, term, type, as_alternative);
    case TermKind::Object:
      if (type->kind == TypeKind::Any) return unify_choice(env, term, type);
      return type->kind == TypeKind::Object && unify_object(env, term, type, as_alternative);
    case TermKind::Set:
      if (type->kind == TypeKind::Any) return unify_choice(env, term, type);
      return type->kind == TypeKind::Set && unify_set(env, term, type, as_alternative);
    case TermKind::Constant:
    case TermKind::Ref:
    case TermKind::ArrayOf:
    case TermKind::SetOf:
    case TermKind::ObjectOf: return types::unify(env.of(term), type);
    case TermKind::Call:
    case TermKind::Template: return true;
  }
  return true;
}

bool unify(TypeEnv& env, Term const& left, Type const* type_of_left, Term const& right,
           Type const* type_of_right) {
  auto const unknown_left = types::is_unknown(type_of_left);
  auto const unknown_right = types::is_unknown(type_of_right);
  if (unknown_left && !unknown_right) return unify(env, left, type_of_right);
  if (unknown_right && !unknown_left) return unify(env, right, type_of_left);
  if (!unknown_left) return types::unify(type_of_left, type_of_right);

  if (left.kind == TermKind::Array && right.kind == TermKind::Array)
    return unify_arrays(env, left, right);
  if (left.kind == TermKind::Object && right.kind == TermKind::Object)
    return unify_objects(env, left, right);
  if (is_collection(left) && is_var(right)) return unify_unknown(env, left, right);
  if (is_var(left) && (is_var(right) || is_collection(right)))
    return is_var(right) ? unify_unknown(env, left, right) : unify_unknown(env, right, left);
  if (is_var(left) && type_of_left == nullptr && type_of_right != nullptr)
    return unify(env, left, type_of_right);
  if (is_var(right) && type_of_right == nullptr && type_of_left != nullptr)
    return unify(env, right, type_of_left);
  return false;
}

}  // namespace sallyport::rego::check
