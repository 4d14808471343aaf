#include "src/rego/check/type_env.hpp"

#include <algorithm>

namespace sallyport::rego {
namespace {

// The object may have a property at `path`, too.
Type const* insert_into(Type const* object, std::span<Value const> path, Type const* added,
                        Arena& arena) {
  auto const* const key = types::of_value(path.front(), arena);
  auto const* const inner =
      path.size() == 1 ? added
                       : insert_into(types::object(arena, {}), path.subspan(1), added, arena);
  auto const properties = arena.allocate_span<TypeProperty>(object->properties.size());
  std::ranges::copy(object->properties, properties.begin());
  return types::open_object(arena, properties, types::either(arena, object->key, key),
                            types::either(arena, object->rest, inner));
}

bool is_dynamic_object(Type const* type) {
  return type->kind == TypeKind::Object && type->properties.empty() && type->open;
}

Type const* merge_types(Type const* left, Type const* right, Arena& arena) {
  if (left == nullptr) return right;
  if (right == nullptr) return left;
  if (is_dynamic_object(left) && is_dynamic_object(right))
    return types::open_object(arena, {}, types::either(arena, left->key, right->key),
                              merge_types(left->rest, right->rest, arena));
  if (left->kind == TypeKind::Set && right->kind == TypeKind::Set)
    return types::set(arena, types::either(arena, left->rest, right->rest));
  return types::either(arena, left, right);
}

void collect_leaves(TypeTree const& node, std::vector<Value>& path,
                    std::vector<std::pair<std::vector<Value>, Type const*>>& leaves) {
  for (auto const& [key, child] : node.children) {
    path.push_back(key);
    if (child.type != nullptr)
      leaves.emplace_back(path, child.type);
    else
      collect_leaves(child, path, leaves);
    path.pop_back();
  }
}

}  // namespace

TypeTree const* TypeTree::find(Value key) const {
  auto const found = children.find(key);
  return found == children.end() ? nullptr : &found->second;
}

Type const* TypeTree::extent(Arena& arena) const {
  if (type != nullptr) return type;
  auto const properties = arena.allocate_span<TypeProperty>(children.size());
  std::size_t size = 0;
  for (auto const& [key, child] : children) {
    auto const simple = key.is(Kind::String) || key.is(Kind::Number) || key.is(Kind::Boolean);
    if (simple) properties[size++] = {key, child.extent(arena)};
  }
  // Base documents may stand beside the rules.
  return types::open_object(arena, properties.first(size), &types::kString, &types::kAny);
}

void TypeTree::insert(std::span<Value const> path, Type const* added, Arena& arena) {
  auto* node = this;
  for (std::size_t i = 0; i < path.size(); ++i) {
    node = &node->children[path[i]];
    auto const is_below = i + 1 < path.size();
    if (is_below && node->type != nullptr && node->type->kind == TypeKind::Object)
      node->type = insert_into(node->type, path.subspan(i + 1), added, arena);
  }
  node->type = merge_types(node->type, added, arena);
  if (added->kind != TypeKind::Object || node->children.empty()) return;
  std::vector<Value> below;
  std::vector<std::pair<std::vector<Value>, Type const*>> leaves;
  collect_leaves(*node, below, leaves);
  for (auto const& [leaf, of_leaf] : leaves)
    if (node->type->kind == TypeKind::Object)
      node->type = insert_into(node->type, leaf, of_leaf, arena);
}

void TypeTree::replace(std::span<Value const> path, Type const* with) {
  auto* node = this;
  for (auto const key : path) node = &node->children[key];
  node->type = with;
}

namespace check {

void TypeEnv::start(std::size_t variables) {
  vars_.assign(variables, nullptr);
  closures_.clear();
  learnt_.clear();
}

Type const* TypeEnv::of_var(Term const& var) const {
  return is_numbered(var) ? vars_[number_of(var)] : nullptr;
}

void TypeEnv::set(Term const& var, Type const* type) {
  if (!is_numbered(var)) return;
  auto& known = vars_[number_of(var)];
  learnt_.emplace_back(number_of(var), known);
  known = type;
}

void TypeEnv::forget(std::size_t since) {
  for (; learnt_.size() > since; learnt_.pop_back()) {
    vars_[learnt_.back().first] = learnt_.back().second;
  }
}

Type const* TypeEnv::of(Term const& term) {
  switch (term.kind) {
    case TermKind::Constant: return types::of_value(term.value, arena_);
    case TermKind::Var: return of_var(term);
    case TermKind::Ref: return of_ref(term);
    case TermKind::Call:
    case TermKind::Template: return nullptr;
    case TermKind::Array: {
      std::vector<Type const*> items;
      for (auto const* const item : term.items) items.push_back(of(*item));
      return types::array(arena_, items, items.empty() ? &types::kAny : nullptr);
    }
    case TermKind::Set: {
      Type const* members = nullptr;
      for (auto const* const item : term.items) members = types::either(arena_, members, of(*item));
      return types::set(arena_, members == nullptr ? &types::kAny : members);
    }
    case TermKind::Object: return of_object(term);
    case TermKind::ArrayOf:
    case TermKind::SetOf:
    case TermKind::ObjectOf: {
      auto const found = closures_.find(&term);
      return found == closures_.end() ? nullptr : found->second;
    }
  }
  return nullptr;
}

Type const* TypeEnv::of_object(Term const& term) {
  auto const properties = arena_.allocate_span<TypeProperty>(term.items.size() / 2);
  std::size_t size = 0;
  auto open = false;
  Type const* key = nullptr;
  Type const* rest = nullptr;
  for (std::size_t i = 0; i + 1 < term.items.size(); i += 2) {
    if (is_scalar(*term.items[i])) {
      properties[size++] = {term.items[i]->value, of(*term.items[i + 1])};
    } else {
      open = true;
      key = of(*term.items[i]);
      rest = of(*term.items[i + 1]);
    }
  }
  if (term.items.empty()) return types::open_object(arena_, {}, &types::kAny, &types::kAny);
  auto const kept = properties.first(size);
  return open ? types::open_object(arena_, kept, key, rest) : types::object(arena_, kept);
}

Type const* TypeEnv::of_ref(Term const& ref) {
  auto const& head = *ref.items[0];
  if (is_numbered(head)) return select(of_var(head), ref, 1);
  if (!is_var(head)) return &types::kAny;
  return head.name == "data" ? of_data(ref) : &types::kAny;
}

Type const* TypeEnv::of_data(Term const& ref) {
  auto const* node = &data_;
  for (std::size_t i = 1; i < ref.items.size(); ++i) {
    auto const& item = *ref.items[i];
    if (node->type != nullptr) {
      auto const* const child = is_scalar(item) ? node->find(item.value) : nullptr;
      if (child == nullptr) return select(node->type, ref, i);
      node = child;
      continue;
    }
    if (!is_scalar(item)) return select(extent_of(*node).values, ref, i + 1);
    node = node->find(item.value);
    if (node == nullptr) return &types::kAny;
  }
  return extent_of(*node).type;
}

TypeEnv::Extent const& TypeEnv::extent_of(TypeTree const& node) {
  auto& extent = extents_[&node];
  // A rule that a later definition widens is asked again.
  if (extent.type == nullptr || (node.type != nullptr && extent.type != node.type)) {
    extent.type = node.extent(arena_);
    extent.keys = types::keys(arena_, extent.type);
    extent.values = types::values(arena_, extent.type);
  }
  return extent;
}

Type const* TypeEnv::of_function(Term const& function) {
  if (!is_var(function)) return of_data(function);
  auto const* const signature = find_signature(function.name);
  return signature == nullptr ? nullptr : signature->as_type;
}

Type const* TypeEnv::select(Type const* type, Term const& ref, std::size_t from) {
  for (auto i = from; type != nullptr && i < ref.items.size(); ++i)
    type = is_scalar(*ref.items[i]) ? types::select(arena_, type, ref.items[i]->value)
                                    : types::values(arena_, type);
  return type;
}

}  // namespace check
}  // namespace sallyport::rego
