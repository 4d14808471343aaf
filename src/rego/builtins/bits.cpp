#include "src/rego/big_integer.hpp"
#include "src/rego/builtins/number_operands.hpp"
#include "src/rego/builtins/tables.hpp"

#include <array>

namespace sallyport::rego::builtins {
namespace {

constexpr std::int64_t kMostBits = 100'000;

Value give(BuiltinCall& call, BigInteger const& value) {
  auto const result = make_number(value, call.arena);
  return result.is_defined() ? result : too_large(call);
}

template <class Operation>
Value combine(BuiltinCall& call, Operands operands) {
  Value left;
  Value right;
  if (!read_integer(call, operands, 1, left) || !read_integer(call, operands, 2, right)) return {};
  if (left.is_int64() && right.is_int64()) {
    return Value::integer(Operation{}(left.as_int64(), right.as_int64()));
  }
  if (!charge_digits(call, left, right)) return stopped(call);
  return give(call, BigInteger{Operation{}(*to_big_integer(left), *to_big_integer(right))});
}

Value negate(BuiltinCall& call, Operands operands) {
  Value number;
  if (!read_integer(call, operands, 1, number)) return {};
  if (number.is_int64()) return Value::integer(~number.as_int64());
  if (!charge_digits(call, number, number)) return stopped(call);
  return give(call, BigInteger{-*to_big_integer(number) - 1});
}

bool read_shift(BuiltinCall& call, Operands operands, Value& number, Value& shift) {
  if (!read_integer(call, operands, 1, number) || !read_integer(call, operands, 2, shift)) {
    return false;
  }
  if (compare(shift, Value::integer(0)) >= 0) return true;
  call.wrong_operand(2, "must be an unsigned integer number but got a negative integer");
  return false;
}

Value shift_left(BuiltinCall& call, Operands operands) {
  Value number;
  Value shift;
  if (!read_shift(call, operands, number, shift)) return {};
  if (equal(number, Value::integer(0))) return Value::integer(0);
  auto const bits = to_int64(shift);
  if (!bits || *bits > kMostBits) return too_large(call);
  auto const steps = static_cast<std::uint64_t>(1 + *bits / 64);
  if (!charge_digits(call, number, number) || !call.budget.charge(steps)) return stopped(call);
  return give(call, BigInteger{*to_big_integer(number) << static_cast<unsigned>(*bits)});
}

// As if the sign went on forever: -1 stays -1.
Value shift_right(BuiltinCall& call, Operands operands) {
  Value number;
  Value shift;
  if (!read_shift(call, operands, number, shift)) return {};
  bool const negative = compare(number, Value::integer(0)) < 0;
  auto const bits = to_int64(shift);
  if (!bits || *bits > kMostBits) return Value::integer(negative ? -1 : 0);
  if (number.is_int64())
    return Value::integer(number.as_int64() >> std::min<std::int64_t>(*bits, 63));
  if (!charge_digits(call, number, number)) return stopped(call);
  auto const value = *to_big_integer(number);
  auto const places = static_cast<unsigned>(*bits);
  if (!negative) return give(call, BigInteger{value >> places});
  BigInteger const complement = -value - 1;
  return give(call, BigInteger{-(complement >> places) - 1});
}

constexpr std::string_view kTwoNumbers = "number, number -> number";

constexpr auto kTable = std::to_array<Builtin>({
    {"bits.and", kTwoNumbers, combine<std::bit_and<>>},
    {"bits.lsh", kTwoNumbers, shift_left},
    {"bits.negate", "number -> number", negate},
    {"bits.or", kTwoNumbers, combine<std::bit_or<>>},
    {"bits.rsh", kTwoNumbers, shift_right},
    {"bits.xor", kTwoNumbers, combine<std::bit_xor<>>},
});

}  // namespace

BuiltinTable bits() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
