#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/tables.hpp"

#include <algorithm>
#include <array>

namespace sallyport::rego::builtins {
namespace {

Value concat(BuiltinCall& call, Operands operands) {
  std::span<Value const> left;
  std::span<Value const> right;
  if (!read_array(call, operands, 1, left) || !read_array(call, operands, 2, right)) return {};
  if (left.empty()) return operands[1];
  if (right.empty()) return operands[0];
  if (!call.budget.charge((left.size() + right.size()) / 16)) return stopped(call);
  auto const items = call.arena.allocate_span<Value>(left.size() + right.size());
  auto const middle = std::ranges::copy(left, items.begin()).out;
  std::ranges::copy(right, middle);
  return Value::array(items);
}

// One level of it.
Value flatten(BuiltinCall& call, Operands operands) {
  std::span<Value const> items;
  if (!read_array(call, operands, 1, items)) return {};
  std::size_t size = 0;
  for (auto const item : items) size += item.is(Kind::Array) ? item.size() : 1;
  // The operand may hold the same long array many times over.
  if (!call.budget.charge(size / 16)) return stopped(call);
  auto const flat = call.arena.allocate_span<Value>(size);
  auto to = flat.begin();
  for (auto const item : items) {
    if (item.is(Kind::Array)) {
      to = std::ranges::copy(item.items(), to).out;
    } else {
      *to++ = item;
    }
  }
  return Value::array(flat);
}

Value reverse(BuiltinCall& call, Operands operands) {
  std::span<Value const> items;
  if (!read_array(call, operands, 1, items)) return {};
  if (!call.budget.charge(items.size() / 16)) return stopped(call);
  auto const reversed = call.arena.allocate_span<Value>(items.size());
  std::ranges::reverse_copy(items, reversed.begin());
  return Value::array(reversed);
}

// Bounds outside the array mean its ends.
Value slice(BuiltinCall& call, Operands operands) {
  std::span<Value const> items;
  std::int64_t start = 0;
  std::int64_t stop = 0;
  if (!read_array(call, operands, 1, items) || !read_int(call, operands, 2, start) ||
      !read_int(call, operands, 3, stop)) {
    return {};
  }
  stop = std::clamp<std::int64_t>(stop, 0, static_cast<std::int64_t>(items.size()));
  start = std::clamp<std::int64_t>(start, 0, stop);
  return Value::array(
      items.subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(stop - start)));
}

constexpr auto kTable = std::to_array<Builtin>({
    {"array.concat", "array[any], array[any] -> array[any]", concat},
    {"array.flatten", "array[any] -> array[any]", flatten},
    {"array.reverse", "array[any] -> array[any]", reverse},
    {"array.slice", "array[any], number, number -> array[any]", slice},
});

}  // namespace

BuiltinTable arrays() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
