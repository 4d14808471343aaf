#include "src/rego/build.hpp"
#include "src/rego/builtins/number_operands.hpp"
#include "src/rego/builtins/tables.hpp"

#include <array>

namespace sallyport::rego::builtins {
namespace {

Value intersect(BuiltinCall& call, Value left, Value right) {
  if (left.size() > right.size()) std::swap(left, right);
  if (!call.budget.charge(left.size() / 4)) return stopped(call);
  SetBuilder common{call.arena};
  for (auto const item : left.items()) {
    if (get(right, item).is_defined()) common.add(item);
  }
  return common.finish();
}

Value unite(BuiltinCall& call, Value left, Value right) {
  if (left.size() == 0) return right;
  if (right.size() == 0) return left;
  auto const size = std::size_t{left.size()} + right.size();
  if (!call.budget.charge(size / 4)) return stopped(call);
  SetBuilder all{call.arena, size};
  for (auto const item : left.items()) all.add(item);
  for (auto const item : right.items()) all.add(item);
  return all.finish();
}

template <Value (*operation)(BuiltinCall&, Value, Value)>
Value of_two(BuiltinCall& call, Operands operands) {
  Value left;
  Value right;
  if (!read_set(call, operands, 1, left) || !read_set(call, operands, 2, right)) return {};
  return operation(call, left, right);
}

bool are_sets(BuiltinCall& call, Operands operands, Value& sets) {
  if (!read_set(call, operands, 1, sets)) return false;
  for (auto const set : sets.items()) {
    if (set.is(Kind::Set)) continue;
    call.wrong_type(1, "set", set);
    return false;
  }
  return true;
}

Value intersection(BuiltinCall& call, Operands operands) {
  Value sets;
  if (!are_sets(call, operands, sets)) return {};
  if (sets.size() == 0) return sets;
  auto common = sets.items().front();
  for (auto const set : sets.items().subspan(1)) {
    common = intersect(call, common, set);
    if (!common.is_defined()) return {};
  }
  return common;
}

Value union_of(BuiltinCall& call, Operands operands) {
  Value sets;
  if (!are_sets(call, operands, sets)) return {};
  std::size_t size = 0;
  for (auto const set : sets.items()) size += set.size();
  if (!call.budget.charge(size / 4)) return stopped(call);
  SetBuilder all{call.arena, size};
  for (auto const set : sets.items()) {
    for (auto const item : set.items()) all.add(item);
  }
  return all.finish();
}

constexpr std::string_view kTwoSets = "set[any], set[any] -> set[any]";
constexpr std::string_view kSetOfSets = "set[set[any]] -> set[any]";

constexpr auto kTable = std::to_array<Builtin>({
    {"and", kTwoSets, of_two<intersect>},
    {"intersection", kSetOfSets, intersection},
    {"or", kTwoSets, of_two<unite>},
    {"set_diff", kTwoSets, of_two<set_difference>, nullptr, Builtin::kDeprecated},
    {"union", kSetOfSets, union_of},
});

}  // namespace

Value set_difference(BuiltinCall& call, Value left, Value right) {
  if (!call.budget.charge(left.size() / 4)) return stopped(call);
  SetBuilder rest{call.arena};
  for (auto const item : left.items()) {
    if (!get(right, item).is_defined()) rest.add(item);
  }
  return rest.finish();
}

BuiltinTable sets() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
