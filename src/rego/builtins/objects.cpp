#include "src/rego/build.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/tables.hpp"

#include <algorithm>
#include <array>

namespace sallyport::rego::builtins {
namespace {

Value value_at(BuiltinCall& call, Operands operands) {
  std::span<Entry const> entries;
  if (!read_object(call, operands, 1, entries)) return {};
  auto const path = operands[1];
  auto const otherwise = operands[2];
  if (!path.is(Kind::Array)) {
    auto const found = get(operands[0], path);
    return found.is_defined() ? found : otherwise;
  }
  auto at = operands[0];
  for (auto const key : path.items()) {
    at = get(at, key);
    if (!at.is_defined()) return otherwise;
  }
  return at;
}

Value keys(BuiltinCall& call, Operands operands) {
  std::span<Entry const> entries;
  if (!read_object(call, operands, 1, entries)) return {};
  if (!call.budget.charge(entries.size() / 4)) return stopped(call);
  SetBuilder set{call.arena, entries.size()};
  for (auto const& entry : entries) set.add(entry.key);
  return set.finish();
}

// A set, or an object by its keys: both are asked with get().
bool read_keys(BuiltinCall& call, Operands operands, Value& out) {
  out = operands[1];
  if (out.is(Kind::Set) || out.is(Kind::Object)) return true;
  if (!out.is(Kind::Array)) {
    call.wrong_type(2, "one of {object, set, array}", out);
    return false;
  }
  SetBuilder set{call.arena, out.size()};
  for (auto const item : out.items()) set.add(item);
  out = set.finish();
  return true;
}

enum class Keep { Listed, Others };

template <Keep keep>
Value select(BuiltinCall& call, Operands operands) {
  std::span<Entry const> entries;
  Value listed;
  if (!read_object(call, operands, 1, entries) || !read_keys(call, operands, listed)) return {};
  if (!call.budget.charge((entries.size() + listed.size()) / 4)) return stopped(call);
  ObjectBuilder object{call.arena};
  for (auto const& [key, value] : entries) {
    if (get(listed, key).is_defined() == (keep == Keep::Listed)) object.add(key, value);
  }
  return object.finish();
}

// Of one key's values in `same`, in the order of the objects: the last one, joined with the objects
// right before it where it is an object too.
std::span<Entry const> joined_values(std::span<Entry const> same) {
  auto first = same.size() - 1;
  if (!same[first].value.is(Kind::Object)) return same.last(1);
  while (first > 0 && same[first - 1].value.is(Kind::Object)) --first;
  return same.subspan(first);
}

// Undefined where the budget ends. As deep as the objects are.
Value merge(BuiltinCall& call, std::span<Value const> objects) {
  std::size_t size = 0;
  for (auto const object : objects) size += object.size();
  if (!call.budget.charge(1 + size / 4)) return stopped(call);

  auto const gathered = call.arena.allocate_span<Entry>(size);
  auto to = gathered.begin();
  for (auto const object : objects) to = std::ranges::copy(object.entries(), to).out;
  std::span<Entry const> const all = sort_entries(gathered, call.arena);

  ObjectBuilder merged{call.arena, size};
  for (std::size_t begin = 0; begin < all.size();) {
    auto end = begin + 1;
    while (end < all.size() && equal(all[begin].key, all[end].key)) ++end;
    auto const values = joined_values(all.subspan(begin, end - begin));
    auto value = values.front().value;
    if (values.size() > 1) {
      auto const nested = call.arena.allocate_span<Value>(values.size());
      std::ranges::transform(values, nested.begin(), &Entry::value);
      value = merge(call, nested);
      if (!value.is_defined()) return {};
    }
    merged.add(all[begin].key, value);
    begin = end;
  }
  return merged.finish();
}

Value union_of_two(BuiltinCall& call, Operands operands) {
  std::span<Entry const> left;
  std::span<Entry const> right;
  if (!read_object(call, operands, 1, left) || !read_object(call, operands, 2, right)) return {};
  if (left.empty()) return operands[1];
  if (right.empty()) return operands[0];
  return merge(call, operands.first(2));
}

Value union_of_many(BuiltinCall& call, Operands operands) {
  std::span<Value const> objects;
  if (!read_array(call, operands, 1, objects)) return {};
  for (auto const object : objects) {
    if (!object.is(Kind::Object)) return wrong_element(call, 1, operands[0], object, "object");
  }
  return objects.size() == 1 ? objects.front() : merge(call, objects);
}

enum class Answer { No, Yes, Stopped };

Answer answer(bool yes) {
  return yes ? Answer::Yes : Answer::No;
}

Answer is_subset(BuiltinCall& call, Value super, Value sub);

Answer object_has(BuiltinCall& call, Value super, Value sub) {
  if (!call.budget.charge(1 + sub.size())) return Answer::Stopped;
  for (auto const& [key, wanted] : sub.entries()) {
    auto const found = get(super, key);
    if (!found.is_defined()) return Answer::No;
    if (equal(found, wanted)) continue;
    if (found.kind() != wanted.kind()) return Answer::No;
    if (auto const nested = is_subset(call, found, wanted); nested != Answer::Yes) return nested;
  }
  return Answer::Yes;
}

// One piece of the other, in one run.
Answer array_has(BuiltinCall& call, std::span<Value const> super, std::span<Value const> sub) {
  for (std::size_t begin = 0; begin + sub.size() <= super.size(); ++begin) {
    if (!call.budget.charge(1 + sub.size())) return Answer::Stopped;
    if (std::ranges::equal(super.subspan(begin, sub.size()), sub, equal)) return Answer::Yes;
  }
  return Answer::No;
}

// Counts as OPA does: an item that the array holds twice stands for two of the set, and an empty
// array has not even the empty set.
Answer array_has_set(BuiltinCall& call, std::span<Value const> super, Value sub) {
  if (!call.budget.charge(1 + super.size())) return Answer::Stopped;
  std::size_t missing = sub.size();
  for (auto const item : super) {
    if (missing > 0 && get(sub, item).is_defined()) --missing;
    if (missing == 0) return Answer::Yes;
  }
  return Answer::No;
}

// Of two values of one kind.
Answer is_subset(BuiltinCall& call, Value super, Value sub) {
  if (sub.is(Kind::Object)) return object_has(call, super, sub);
  if (sub.is(Kind::Array)) return array_has(call, super.items(), sub.items());
  if (!sub.is(Kind::Set)) return Answer::No;
  if (!call.budget.charge(1 + sub.size())) return Answer::Stopped;
  return answer(
      std::ranges::all_of(sub.items(), [&](Value item) { return get(super, item).is_defined(); }));
}

Value subset(BuiltinCall& call, Operands operands) {
  auto const super = operands[0];
  auto const sub = operands[1];
  bool const collections = super.is(Kind::Object) || super.is(Kind::Array) || super.is(Kind::Set);
  auto found = Answer::No;
  if (super.kind() == sub.kind() && collections) {
    found = is_subset(call, super, sub);
  } else if (super.is(Kind::Array) && sub.is(Kind::Set)) {
    found = array_has_set(call, super.items(), sub);
  } else {
    call.error = BuiltinErrc::Type;
    call.message = "both arguments object.subset must be of the same type or array and set";
    return {};
  }
  return found == Answer::Stopped ? stopped(call) : Value::boolean(found == Answer::Yes);
}

constexpr std::string_view kSelect =
    "object[any: any], any<array[any], object[any: any], set[any]> -> object[any: any]";

constexpr auto kTable = std::to_array<Builtin>({
    {"object.filter", kSelect, select<Keep::Listed>},
    {"object.get", "object[any: any], any, any -> any", value_at},
    {"object.keys", "object[any: any] -> set[any]", keys},
    {"object.remove", kSelect, select<Keep::Others>},
    {"object.subset",
     "any<array[any], object[any: any], set[any]>, any<array[any], object[any: any], set[any]> -> "
     "boolean",
     subset},
    {"object.union", "object[any: any], object[any: any] -> object[any: any]", union_of_two},
    {"object.union_n", "array[object[any: any]] -> object[any: any]", union_of_many},
});

}  // namespace

BuiltinTable objects() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
