#include "src/rego/type.hpp"

#include "src/rego/json.hpp"
#include "src/rego/number.hpp"

#include <algorithm>

namespace sallyport::rego::types {
namespace {

// A union of more kinds of values than this is called "anything": checking it would cost more than
// it could find.
constexpr std::size_t kLargestUnion = 64;

std::span<Type const* const> copy(Arena& arena, std::span<Type const* const> types) {
  auto const result = arena.allocate_span<Type const*>(types.size());
  std::ranges::copy(types, result.begin());
  return result;
}

int order_of(TypeKind kind) {
  return static_cast<int>(kind);
}

int compare_parts(std::span<Type const* const> left, std::span<Type const* const> right) {
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
    if (auto const order = compare(left[i], right[i]); order != 0) return order;
  return static_cast<int>(left.size()) - static_cast<int>(right.size());
}

int compare_properties(Type const* left, Type const* right) {
  auto const size = std::min(left->properties.size(), right->properties.size());
  for (std::size_t i = 0; i < size; ++i) {
    auto const order = rego::compare(left->properties[i].key, right->properties[i].key);
    if (order != 0) return order < 0 ? -1 : 1;
    auto const of_types = compare(left->properties[i].type, right->properties[i].type);
    if (of_types != 0) return of_types;
  }
  return static_cast<int>(left->properties.size()) - static_cast<int>(right->properties.size());
}

// Both are sorted.
Type const* merge(Arena& arena, std::span<Type const* const> left,
                  std::span<Type const* const> right) {
  auto const room = arena.allocate_span<Type const*>(left.size() + right.size());
  auto* end = room.data();
  while (!left.empty() && !right.empty()) {
    auto const order = compare(left.front(), right.front());
    *end++ = order <= 0 ? left.front() : right.front();
    if (order <= 0) left = left.subspan(1);
    if (order >= 0) right = right.subspan(1);
  }
  end = std::ranges::copy(left, end).out;
  end = std::ranges::copy(right, end).out;
  auto const size = static_cast<std::size_t>(end - room.data());
  if (size > kLargestUnion) return &kAny;
  auto* const result = arena.make<Type>();
  result->parts = {room.data(), size};
  return result;
}

Type const* select_item(Type const* array, std::size_t index) {
  return index < array->parts.size() ? array->parts[index] : array->rest;
}

Type const* select_property(Type const* object, Value key, Arena& arena) {
  auto const found = std::ranges::lower_bound(
      object->properties, key, [](Value a, Value b) { return rego::compare(a, b) < 0; },
      &TypeProperty::key);
  if (found != object->properties.end() && rego::equal(found->key, key)) return found->type;
  if (!object->open) return nullptr;
  return contains(object->key, of_value(key, arena)) ? object->rest : nullptr;
}

bool unify_items(Type const* left, Type const* right) {
  for (std::size_t i = 0; i < left->parts.size(); ++i)
    if (!unify(left->parts[i], select_item(right, i))) return false;
  return true;
}

bool unify_properties(Type const* left, Type const* right) {
  Arena scratch;
  for (auto const& property : left->properties) {
    auto const* const other = select_property(right, property.key, scratch);
    if (other == nullptr) {
      if (left->open || right->open) continue;
      return false;
    }
    if (!unify(property.type, other)) return false;
  }
  return true;
}

bool unify_union(Type const* choice, Type const* other) {
  if (other->kind == TypeKind::Function) return false;
  if (choice->parts.empty()) return true;
  return std::ranges::any_of(choice->parts, [&](auto const* part) { return unify(part, other); });
}

bool unify_rests(Type const* left, Type const* right) {
  return left->rest == nullptr || right->rest == nullptr || unify(left->rest, right->rest);
}

bool unify_functions(Type const* left, Type const* right) {
  if (left->parts.size() != right->parts.size()) return false;
  for (std::size_t i = 0; i < left->parts.size(); ++i)
    if (!unify(left->parts[i], right->parts[i])) return false;
  return true;
}

}  // namespace

Type const kAny{.kind = TypeKind::Any};
Type const kNull{.kind = TypeKind::Null};
Type const kBoolean{.kind = TypeKind::Boolean};
Type const kNumber{.kind = TypeKind::Number};
Type const kString{.kind = TypeKind::String};

Type const* array(Arena& arena, std::span<Type const* const> first, Type const* rest) {
  auto* const type = arena.make<Type>();
  type->kind = TypeKind::Array;
  type->parts = copy(arena, first);
  type->rest = rest;
  return type;
}

Type const* set(Arena& arena, Type const* of) {
  auto* const type = arena.make<Type>();
  type->kind = TypeKind::Set;
  type->rest = of;
  return type;
}

Type const* object(Arena& arena, std::span<TypeProperty> properties) {
  std::ranges::sort(
      properties, [](Value a, Value b) { return rego::compare(a, b) < 0; }, &TypeProperty::key);
  auto* const type = arena.make<Type>();
  type->kind = TypeKind::Object;
  type->properties = properties;
  return type;
}

Type const* open_object(Arena& arena, std::span<TypeProperty> properties, Type const* key,
                        Type const* rest) {
  auto* const type = arena.make<Type>(*object(arena, properties));
  type->open = true;
  type->key = key;
  type->rest = rest;
  return type;
}

Type const* function(Arena& arena, std::span<Type const* const> parameters, Type const* result) {
  auto* const type = arena.make<Type>();
  type->kind = TypeKind::Function;
  type->parts = copy(arena, parameters);
  type->rest = result;
  return type;
}

bool is_unknown(Type const* type) {
  if (type == nullptr) return true;
  switch (type->kind) {
    case TypeKind::Null:
    case TypeKind::Boolean:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Any: return false;
    case TypeKind::Array:
      return std::ranges::any_of(type->parts, is_unknown) ||
             (type->rest != nullptr && is_unknown(type->rest));
    case TypeKind::Set: return is_unknown(type->rest);
    case TypeKind::Object:
      return std::ranges::any_of(type->properties, is_unknown, &TypeProperty::type) ||
             (type->open && (is_unknown(type->key) || is_unknown(type->rest)));
    case TypeKind::Function:
      return std::ranges::any_of(type->parts, is_unknown) || is_unknown(type->rest);
  }
  return false;
}

int compare(Type const* left, Type const* right) {
  if (left == right) return 0;
  if (left == nullptr) return -1;
  if (right == nullptr) return 1;
  if (left->kind != right->kind) return order_of(left->kind) - order_of(right->kind);
  if (left->open != right->open) return left->open ? 1 : -1;
  if (auto const order = compare_parts(left->parts, right->parts); order != 0) return order;
  if (auto const order = compare_properties(left, right); order != 0) return order;
  if (auto const order = compare(left->key, right->key); order != 0) return order;
  return compare(left->rest, right->rest);
}

bool contains(Type const* general, Type const* type) {
  if (general == nullptr) return false;
  if (general->kind != TypeKind::Any) return compare(general, type) == 0;
  return general->parts.empty() || std::ranges::any_of(general->parts, [&](auto const* part) {
           return compare(part, type) == 0;
         });
}

Type const* either(Arena& arena, Type const* left, Type const* right) {
  if (left == nullptr) return right;
  if (right == nullptr) return left;
  if (compare(left, right) == 0) return left;
  auto const functions =
      (left->kind == TypeKind::Function ? 1 : 0) + (right->kind == TypeKind::Function ? 1 : 0);
  if (functions == 1) return nullptr;
  if (functions == 2) {
    std::vector<Type const*> parameters;
    for (std::size_t i = 0; i < std::min(left->parts.size(), right->parts.size()); ++i)
      parameters.push_back(either(arena, left->parts[i], right->parts[i]));
    return function(arena, parameters, either(arena, left->rest, right->rest));
  }
  if (is_anything(left)) return left;
  if (is_anything(right)) return right;
  auto const parts_of = [](Type const* const& type) {
    return type->kind == TypeKind::Any ? type->parts : std::span<Type const* const>{&type, 1};
  };
  return merge(arena, parts_of(left), parts_of(right));
}

bool unify(Type const* left, Type const* right) {
  if (left == nullptr || right == nullptr) return false;
  if (left->kind == TypeKind::Any || right->kind == TypeKind::Any)
    return (left->kind == TypeKind::Any && unify_union(left, right)) ||
           (right->kind == TypeKind::Any && unify_union(right, left));
  if (left->kind != right->kind) return false;
  switch (left->kind) {
    case TypeKind::Null:
    case TypeKind::Boolean:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Any: return true;
    case TypeKind::Array:
      return unify_items(left, right) && unify_items(right, left) && unify_rests(left, right);
    case TypeKind::Object:
      return unify_properties(left, right) && unify_properties(right, left) &&
             unify_rests(left, right);
    case TypeKind::Set: return unify(left->rest, right->rest);
    case TypeKind::Function: return unify_functions(left, right);
  }
  return false;
}

Type const* of_value(Value value, Arena& arena) {
  switch (value.kind()) {
    case Kind::Undefined: return nullptr;
    case Kind::Null: return &kNull;
    case Kind::Boolean: return &kBoolean;
    case Kind::Number: return &kNumber;
    case Kind::String: return &kString;
    case Kind::Array: {
      std::vector<Type const*> items;
      for (auto const item : value.items()) items.push_back(of_value(item, arena));
      return array(arena, items, items.empty() ? &kAny : nullptr);
    }
    case Kind::Set: {
      Type const* of = nullptr;
      for (auto const item : value.items()) of = either(arena, of, of_value(item, arena));
      return set(arena, of == nullptr ? &kAny : of);
    }
    case Kind::Object: {
      auto const properties = arena.allocate_span<TypeProperty>(value.size());
      std::size_t size = 0;
      for (auto const& entry : value.entries())
        properties[size++] = {entry.key, of_value(entry.value, arena)};
      return properties.empty() ? open_object(arena, {}, &kAny, &kAny) : object(arena, properties);
    }
  }
  return nullptr;
}

Type const* keys(Arena& arena, Type const* type) {
  if (type == nullptr) return nullptr;
  switch (type->kind) {
    case TypeKind::Array: return &kNumber;
    case TypeKind::Set: return type->rest;
    case TypeKind::Object: {
      Type const* result = nullptr;
      for (auto const& property : type->properties)
        result = either(arena, result, of_value(property.key, arena));
      return either(arena, result, type->key);
    }
    case TypeKind::Any: {
      if (type->parts.empty()) return type;
      Type const* result = nullptr;
      for (auto const* const part : type->parts) result = either(arena, keys(arena, part), result);
      return result;
    }
    case TypeKind::Null:
    case TypeKind::Boolean:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Function: return nullptr;
  }
  return nullptr;
}

Type const* values(Arena& arena, Type const* type) {
  if (type == nullptr) return nullptr;
  switch (type->kind) {
    case TypeKind::Array: {
      Type const* result = nullptr;
      for (auto const* const part : type->parts) result = either(arena, result, part);
      return either(arena, result, type->rest);
    }
    case TypeKind::Set: return type->rest;
    case TypeKind::Object: {
      Type const* result = nullptr;
      for (auto const& property : type->properties) result = either(arena, result, property.type);
      return either(arena, result, type->rest);
    }
    case TypeKind::Any: {
      if (type->parts.empty()) return type;
      Type const* result = nullptr;
      for (auto const* const part : type->parts)
        result = either(arena, values(arena, part), result);
      return result;
    }
    case TypeKind::Null:
    case TypeKind::Boolean:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Function: return nullptr;
  }
  return nullptr;
}

Type const* select(Arena& arena, Type const* type, Value key) {
  if (type == nullptr) return nullptr;
  switch (type->kind) {
    case TypeKind::Array: {
      if (!key.is(Kind::Number)) return nullptr;
      auto const index = to_int64(key);
      if (!index || *index < 0) return nullptr;
      return select_item(type, static_cast<std::size_t>(*index));
    }
    case TypeKind::Object: return select_property(type, key, arena);
    case TypeKind::Set: {
      auto const* const of_key = of_value(key, arena);
      if (compare(type->rest, of_key) == 0) return type->rest;
      if (type->rest != nullptr && type->rest->kind == TypeKind::Any)
        return contains(type->rest, of_key) ? of_key : nullptr;
      return nullptr;
    }
    case TypeKind::Any: {
      if (type->parts.empty()) return type;
      Type const* result = nullptr;
      for (auto const* const part : type->parts)
        result = either(arena, select(arena, part, key), result);
      return result;
    }
    case TypeKind::Null:
    case TypeKind::Boolean:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Function: return nullptr;
  }
  return nullptr;
}

}  // namespace sallyport::rego::types
