// Static types: what is known about a value before there is one.
//
// A type is a pointer to an immutable node in an arena; null means that nothing is known yet. The
// rules of union and unification are those of OPA's checker.
#pragma once

#include "src/rego/value.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego {

enum class TypeKind : std::uint8_t {
  Null,
  Boolean,
  Number,
  String,
  Array,     // parts: the first items; rest: those after them, null where there are none
  Object,    // properties; open: and others, of types key and rest
  Set,       // rest: of the members
  Any,       // parts: one of these; of no parts: anything
  Function,  // parts: parameters; rest: the result, null where there is none
};

struct TypeProperty;

struct Type {
  TypeKind kind{TypeKind::Any};
  bool open{false};
  std::span<Type const* const> parts;
  std::span<TypeProperty const> properties;  // sorted by key
  Type const* key{nullptr};
  Type const* rest{nullptr};
};

struct TypeProperty {
  Value key;
  Type const* type{nullptr};
};

namespace types {

extern Type const kAny;
extern Type const kNull;
extern Type const kBoolean;
extern Type const kNumber;
extern Type const kString;

Type const* array(Arena& arena, std::span<Type const* const> first, Type const* rest);
Type const* set(Arena& arena, Type const* of);
// Sorts the properties, which it takes over.
Type const* object(Arena& arena, std::span<TypeProperty> properties);
Type const* open_object(Arena& arena, std::span<TypeProperty> properties, Type const* key,
                        Type const* rest);
Type const* function(Arena& arena, std::span<Type const* const> parameters, Type const* result);

inline bool is_anything(Type const* type) {
  return type->kind == TypeKind::Any && type->parts.empty();
}
// Nothing is known of it or of some part of it.
bool is_unknown(Type const* type);
int compare(Type const* left, Type const* right);
// Whether `type` is one of what `general` may be.
bool contains(Type const* general, Type const* type);
// Either of them.
Type const* either(Arena& arena, Type const* left, Type const* right);
// Some value may be of both.
bool unify(Type const* left, Type const* right);

Type const* of_value(Value value, Arena& arena);
// Of the keys and values that an iteration meets; null where there is none.
Type const* keys(Arena& arena, Type const* type);
Type const* values(Arena& arena, Type const* type);
// Of what a constant key selects; null: there can be no such element.
Type const* select(Arena& arena, Type const* type, Value key);

}  // namespace types

std::string to_text(Type const* type);

struct Signature {
  std::vector<Type const*> parameters;
  Type const* result{nullptr};  // null: none (print)
  bool variadic{false};
  Type const* as_type{nullptr};
};

// Of a built-in, read once from its text; null where there is none of that name.
Signature const* find_signature(std::string_view builtin);
// The words of OPA's documentation: "string, any<array[string], set[string]> -> string". False
// where the text is not understood; `signature` then accepts anything.
bool parse_signature(std::string_view text, Signature& signature, Arena& arena);

}  // namespace sallyport::rego
