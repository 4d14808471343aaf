// Base data, the rules over it, and what `with` puts over both: as one document.
#pragma once

#include "src/rego/value.hpp"

#include <cstdint>
#include <span>

namespace sallyport::rego::vm {

// A path that a `with data.…` replaced. Nothing of what was there is seen below it.
struct Replaced {
  std::span<Value const> path;
  Replaced const* next{nullptr};
};

struct Overlay {
  Value value;  // the replacements at their paths; undefined: none
  Replaced const* replaced{nullptr};
};

// A place in the documents.
struct Position {
  Position const* parent{nullptr};
  Value key;  // that led here from the parent
  std::uint32_t depth{0};
  std::uint32_t node{~std::uint32_t{0}};
  Value base;
  Value over;
  Value value;  // where is_value: a rule, or something replaced, or plain base data
  bool is_value{false};
};

// `path` as it is reached by `position`.
bool is_replaced(Overlay const& overlay, Position const& position) noexcept;

// What stands at a key of base data. JSON has only strings as keys, so a number finds its digits,
// as in OPA's store.
Value base_at(Value document, Value key);

// An object with the keys of both; what cannot be merged is taken from `over`. Undefined counts as
// nothing.
Value merge(Value over, Value under, Arena& arena);
// `document` with `value` at the path; what is not an object on the way gives way.
Value with_path(Value document, std::span<Value const> path, Value value, Arena& arena);
// What `collection[x]` would give for x: indices, keys, members; an array.
Value keys_of(Value collection, Arena& arena);

}  // namespace sallyport::rego::vm
