// What instructions do to collections.
#pragma once

#include "src/rego/build.hpp"
#include "src/rego/plan/program.hpp"
#include "src/rego/vm/machine.hpp"

#include <algorithm>

namespace sallyport::rego::vm {

inline bool same(Value left, Value right) noexcept {
  if (left.kind() != right.kind()) return false;
  if (left.is(Kind::String)) return left.as_string() == right.as_string();
  return equal(left, right);
}

inline bool is_member(Value item, Value collection) noexcept {
  if (collection.is(Kind::Set)) return get(collection, item).is_defined();
  if (collection.is(Kind::Array)) {
    return std::ranges::any_of(collection.items(), [&](Value one) { return same(one, item); });
  }
  return collection.is(Kind::Object) &&
         std::ranges::any_of(collection.entries(),
                             [&](Entry const& one) { return same(one.value, item); });
}

inline bool is_collection(Value value) noexcept {
  return value.kind() >= Kind::Array;
}

// What it costs to look through a collection, in steps.
inline std::uint64_t steps_through(Value value) noexcept {
  return is_collection(value) ? value.size() / 8 : 0;
}

// False after the last.
inline bool advance(Slot& slot, Value* key, Value* value) noexcept {
  auto const collection = slot.collection;
  if (slot.index == collection.size()) return false;
  auto const index = slot.index++;
  if (collection.is(Kind::Object)) {
    auto const& entry = collection.entries()[index];
    if (key != nullptr) *key = entry.key;
    if (value != nullptr) *value = entry.value;
    return true;
  }
  auto const item = collection.items()[index];
  if (value != nullptr) *value = item;
  if (key != nullptr) *key = collection.is(Kind::Set) ? item : Value::integer(index);
  return true;
}

inline void begin_collection(Slot& slot, plan::Collect kind, Arena& arena) {
  slot.collect = kind;
  switch (kind) {
    case plan::Collect::Array: slot.pointer = arena.make<ArrayBuilder>(arena); return;
    case plan::Collect::Set: slot.pointer = arena.make<SetBuilder>(arena); return;
    case plan::Collect::Object: slot.pointer = arena.make<ObjectBuilder>(arena); return;
  }
}

inline Value end_collection(Slot const& slot) {
  switch (slot.collect) {
    case plan::Collect::Array: return static_cast<ArrayBuilder*>(slot.pointer)->finish();
    case plan::Collect::Set: return static_cast<SetBuilder*>(slot.pointer)->finish();
    case plan::Collect::Object:
      return static_cast<ObjectBuilder*>(slot.pointer)->finish_without_conflicts();
  }
  return {};
}

inline Value make_collection(plan::Op op, Operands items, Arena& arena) {
  if (op == plan::Op::MakeArray) {
    ArrayBuilder builder{arena, items.size()};
    for (auto const item : items) builder.add(item);
    return builder.finish();
  }
  if (op == plan::Op::MakeSet) {
    SetBuilder builder{arena, items.size()};
    for (auto const item : items) builder.add(item);
    return builder.finish();
  }
  ObjectBuilder builder{arena, items.size() / 2};
  for (std::size_t i = 0; i < items.size(); i += 2) builder.add(items[i], items[i + 1]);
  return builder.finish();
}

}  // namespace sallyport::rego::vm
