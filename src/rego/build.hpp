// Making arrays, objects and sets in an arena.
//
// Builders keep what they are given in scratch memory of the arena and sort once, in finish(). They
// may be used again afterwards.
#pragma once

#include "src/rego/value.hpp"

#include <cstddef>
#include <span>

namespace sallyport::rego {

class ArrayBuilder {
 public:
  explicit ArrayBuilder(Arena& arena, std::size_t expected = 0);
  void add(Value item);
  std::size_t size() const noexcept { return size_; }
  Value finish();

 private:
  Arena* arena_;
  std::span<Value> room_;
  std::size_t size_{0};
};

class SetBuilder {
 public:
  explicit SetBuilder(Arena& arena, std::size_t expected = 0)
      : items_{arena, expected}, arena_{&arena} {}
  void add(Value item) { items_.add(item); }
  // Equal items become one: the first that was added.
  Value finish();

 private:
  ArrayBuilder items_;
  Arena* arena_;
};

class ObjectBuilder {
 public:
  explicit ObjectBuilder(Arena& arena, std::size_t expected = 0);
  // The text of the key must outlive the object, as in Value::string().
  void add(std::string_view key, Value value) { add(Value::string(key), value); }
  void add(Value key, Value value);
  // Of equal keys the last one that was added wins.
  Value finish();
  // For partial rules and object comprehensions: one key with two different values is a conflict.
  // Undefined then.
  Value finish_without_conflicts();

 private:
  Arena* arena_;
  std::span<Entry> room_;
  std::size_t size_{0};
};

// Sorted, equal ones in their order. In place where that is possible, otherwise in the arena.
std::span<Value> sort_items(std::span<Value> items, Arena& arena);
std::span<Entry> sort_entries(std::span<Entry> entries, Arena& arena);  // by key

}  // namespace sallyport::rego
