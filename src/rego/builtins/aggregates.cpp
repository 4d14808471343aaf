#include "src/rego/big_integer.hpp"
#include "src/rego/build.hpp"
#include "src/rego/builtins/number_operands.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/builtins/tables.hpp"

#include <algorithm>
#include <array>

namespace sallyport::rego::builtins {
namespace {

bool read_items(BuiltinCall& call, Operands operands, std::string_view wanted,
                std::span<Value const>& out) {
  auto const value = operands[0];
  if (!value.is(Kind::Array) && !value.is(Kind::Set)) {
    call.wrong_type(1, wanted, value);
    return false;
  }
  out = value.items();
  return true;
}

Value count(BuiltinCall& call, Operands operands) {
  auto const value = operands[0];
  switch (value.kind()) {
    case Kind::Array:
    case Kind::Object:
    case Kind::Set: return Value::integer(value.size());
    case Kind::String:
      if (!charge_bytes(call, value.size())) return stopped(call);
      return Value::integer(static_cast<std::int64_t>(count_runes(value.as_string())));
    case Kind::Undefined:
    case Kind::Null:
    case Kind::Boolean:
    case Kind::Number: break;
  }
  return call.wrong_type(1, "one of {array, object, set, string}", value);
}

struct Sum {
  static constexpr std::int64_t kStart = 0;
  static bool add(std::int64_t& total, std::int64_t next) {
    return !__builtin_add_overflow(total, next, &total);
  }
  static void add(BigInteger& total, BigInteger const& next) { total += next; }
  static void add(long double& total, long double next) { total += next; }
};

struct Product {
  static constexpr std::int64_t kStart = 1;
  static bool add(std::int64_t& total, std::int64_t next) {
    return !__builtin_mul_overflow(total, next, &total);
  }
  static void add(BigInteger& total, BigInteger const& next) { total *= next; }
  static void add(long double& total, long double next) { total *= next; }
};

template <class Fold>
Value fold_floats(BuiltinCall& call, Value collection) {
  long double total = Fold::kStart;
  for (auto const item : collection.items()) {
    if (!item.is(Kind::Number)) return wrong_element(call, 1, collection, item, "number");
    Fold::add(total, to_float(item));
  }
  auto const result = make_number(total, call.arena);
  return result.is_defined() ? result : too_large(call);
}

template <class Fold>
Value fold_integers(BuiltinCall& call, std::span<Value const> items) {
  constexpr unsigned kMostBits = 100'000;
  constexpr std::uint64_t kBitsAStep = 4096;
  BigInteger total{Fold::kStart};
  for (auto const item : items) {
    auto const next = to_big_integer(item);
    if (total != 0 && next && *next != 0) {
      auto const bits = msb(abs(total)) + msb(abs(*next));
      if (bits > 2 * kMostBits) return too_large(call);
      if (!call.budget.charge(1 + bits / kBitsAStep)) return stopped(call);
    }
    if (next) Fold::add(total, *next);
  }
  auto const result = make_number(total, call.arena);
  return result.is_defined() ? result : too_large(call);
}

template <class Fold>
Value fold(BuiltinCall& call, Operands operands) {
  std::span<Value const> items;
  if (!read_items(call, operands, "one of {set, array}", items)) return {};
  if (!call.budget.charge(items.size())) return stopped(call);
  auto total = Fold::kStart;
  bool const small = std::ranges::all_of(
      items, [&](Value item) { return item.is_int64() && Fold::add(total, item.as_int64()); });
  if (small) return Value::integer(total);
  bool const integers = std::ranges::all_of(
      items, [](Value item) { return item.is(Kind::Number) && is_integer(item); });
  return integers ? fold_integers<Fold>(call, items) : fold_floats<Fold>(call, operands[0]);
}

// Of equal items the last, as OPA has it: it shows in their text.
Value largest(BuiltinCall& call, Operands operands) {
  std::span<Value const> items;
  if (!read_items(call, operands, "one of {set, array}", items) || items.empty()) return {};
  if (!call.budget.charge(items.size())) return stopped(call);
  auto result = items.front();
  for (auto const item : items) {
    if (compare(result, item) <= 0) result = item;
  }
  return result;
}

Value smallest(BuiltinCall& call, Operands operands) {
  std::span<Value const> items;
  if (!read_items(call, operands, "one of {set, array}", items) || items.empty()) return {};
  if (!call.budget.charge(items.size())) return stopped(call);
  auto result = items.front();
  for (auto const item : items) {
    if (compare(result, item) >= 0) result = item;
  }
  return result;
}

Value sort(BuiltinCall& call, Operands operands) {
  std::span<Value const> items;
  if (!read_items(call, operands, "one of {set, array}", items)) return {};
  if (operands[0].is(Kind::Set)) return Value::array(items);
  if (!call.budget.charge(items.size())) return stopped(call);
  auto const copies = call.arena.allocate_span<Value>(items.size());
  std::ranges::copy(items, copies.begin());
  return Value::array(sort_items(copies, call.arena));
}

Value all_are_true(BuiltinCall& call, Operands operands) {
  std::span<Value const> items;
  if (!read_items(call, operands, "one of {array, set}", items)) return {};
  return Value::boolean(std::ranges::all_of(items, &Value::is_true));
}

Value any_is_true(BuiltinCall& call, Operands operands) {
  std::span<Value const> items;
  if (!read_items(call, operands, "one of {array, set}", items)) return {};
  return Value::boolean(std::ranges::any_of(items, &Value::is_true));
}

// `x in collection`
Value is_member(BuiltinCall& call, Operands operands) {
  auto const wanted = operands[0];
  auto const collection = operands[1];
  if (collection.is(Kind::Set)) return Value::boolean(get(collection, wanted).is_defined());
  if (collection.is(Kind::Array)) {
    if (!call.budget.charge(collection.size() / 16)) return stopped(call);
    return Value::boolean(
        std::ranges::any_of(collection.items(), [&](Value item) { return equal(item, wanted); }));
  }
  if (collection.is(Kind::Object)) {
    if (!call.budget.charge(collection.size() / 16)) return stopped(call);
    return Value::boolean(std::ranges::any_of(
        collection.entries(), [&](Entry const& entry) { return equal(entry.value, wanted); }));
  }
  return Value::boolean(false);
}

// `key, x in collection`
Value is_member_with_key(BuiltinCall&, Operands operands) {
  auto const found = get(operands[2], operands[0]);
  return Value::boolean(found.is_defined() && equal(found, operands[1]));
}

constexpr std::string_view kNumbersToNumber = "any<array[number], set[number]> -> number";
constexpr std::string_view kItemsToAny = "any<array[any], set[any]> -> any";
constexpr std::string_view kItemsToBoolean = "any<array[any], set[any]> -> boolean";

constexpr auto kTable = std::to_array<Builtin>({
    {"all", kItemsToBoolean, all_are_true, nullptr, Builtin::kDeprecated},
    {"any", kItemsToBoolean, any_is_true, nullptr, Builtin::kDeprecated},
    {"count", "any<string, array[any], object[any: any], set[any]> -> number", count},
    {"internal.member_2", "any, any -> boolean", is_member},
    {"internal.member_3", "any, any, any -> boolean", is_member_with_key},
    {"max", kItemsToAny, largest},
    {"min", kItemsToAny, smallest},
    {"product", kNumbersToNumber, fold<Product>},
    {"sort", "any<array[any], set[any]> -> array[any]", sort},
    {"sum", kNumbersToNumber, fold<Sum>},
});

}  // namespace

BuiltinTable aggregates() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
