// Gathers what the bodies of a rule with several variable parts give, `p[x].q[y] := v` and
// `p[x] contains v`, and makes one object of it.
#pragma once

#include "src/rego/value.hpp"

#include <cstdint>
#include <span>

namespace sallyport::rego::vm {

class Entries {
 public:
  explicit Entries(Arena& arena) : arena_{&arena} {}

  // `path` has at least one key. A member goes into the set at its path.
  void add(std::span<Value const> path, Value value, bool is_member);
  // Undefined where one place would have two values.
  Value finish();

 private:
  struct Item {
    Value const* path;
    Value value;
    std::uint32_t length;
    std::uint32_t number;  // in the order they came
    bool is_member;
  };

  Value object_of(std::span<Item const> items, std::uint32_t depth);
  Value value_of(std::span<Item const> items, std::uint32_t depth);
  Value set_of(std::span<Item const> items);

  Arena* arena_;
  std::span<Item> room_;
  std::uint32_t size_{0};
};

}  // namespace sallyport::rego::vm
