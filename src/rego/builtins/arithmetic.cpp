#include "src/rego/builtins/number_operands.hpp"
#include "src/rego/builtins/tables.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace sallyport::rego::builtins {
namespace {

using Operation = NumberResult (*)(Value left, Value right, Arena& arena);

template <Operation operation>
Value compute(BuiltinCall& call, Operands operands) {
  Value left;
  Value right;
  if (!read_number(call, operands, 1, left) || !read_number(call, operands, 2, right)) return {};
  if (!charge_digits(call, left, right)) return stopped(call);
  return finish(call, operation(left, right, call.arena));
}

// With all digits of the integer that it is. Otherwise as few are written as tell it from its
// neighbours, and the rest are zeros.
Value make_whole_number(long double value, Arena& arena) {
  constexpr long double kTwoTo63 = 9223372036854775808.0L;
  constexpr long double kMost = 1e300L;  // further digits are nobody's
  if (std::fabs(value) < kTwoTo63 || std::fabs(value) > kMost) return make_number(value, arena);
  std::array<char, 310>
      digits;  // NOLINT(cppcoreguidelines-pro-type-member-init): to_chars fills it
  auto const* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                        std::chars_format::fixed, 0)
                              .ptr;
  return make_number(std::string_view{digits.data(), end}, arena);
}

// Of numbers and of sets.
Value minus(BuiltinCall& call, Operands operands) {
  auto const left = operands[0];
  auto const right = operands[1];
  if (left.is(Kind::Number) && right.is(Kind::Number)) {
    return compute<subtract>(call, operands);
  }
  if (left.is(Kind::Set) && right.is(Kind::Set)) return set_difference(call, left, right);
  if (!left.is(Kind::Number) && !left.is(Kind::Set)) {
    return call.wrong_type(1, "one of {number, set}", left);
  }
  return call.wrong_type(2, right.is(Kind::Number) ? "set" : "number", right);
}

using Maker = Value (*)(long double value, Arena& arena);

template <long double (*function)(long double), Maker make = make_number>
Value of_one(BuiltinCall& call, Operands operands) {
  Value number;
  if (!read_number(call, operands, 1, number)) return {};
  if (!charge_digits(call, number, number)) return stopped(call);
  auto const result = make(function(to_float(number)), call.arena);
  return result.is_defined() ? result : too_large(call);
}

template <long double (*function)(long double)>
constexpr auto to_whole = of_one<function, make_whole_number>;

long double absolute(long double value) {
  return std::fabs(value);
}

// Half away from zero.
long double rounded(long double value) {
  return std::trunc(value < 0 ? value - 0.5L : value + 0.5L);
}

// Between -1 and 0 OPA takes the zero that is left of the fraction for a positive one: ceil(-0.5)
// is 1 there, and floor(-0.5) is 0. We say the same.
long double upwards(long double value) {
  auto const whole = std::trunc(value);
  return whole < 0 || whole == value ? whole : whole + 1;
}

long double downwards(long double value) {
  auto const whole = std::trunc(value);
  return whole >= 0 || whole == value ? whole : whole - 1;
}

constexpr std::string_view kTwoNumbers = "number, number -> number";
constexpr std::string_view kOneNumber = "number -> number";

constexpr auto kTable = std::to_array<Builtin>({
    {"abs", kOneNumber, of_one<absolute>},
    {"ceil", kOneNumber, to_whole<upwards>},
    {"div", kTwoNumbers, compute<divide>},
    {"floor", kOneNumber, to_whole<downwards>},
    {"minus", "any<number, set[any]>, any<number, set[any]> -> any<number, set[any]>", minus},
    {"mul", kTwoNumbers, compute<multiply>},
    {"plus", kTwoNumbers, compute<add>},
    {"rem", kTwoNumbers, compute<modulo>},
    {"round", kOneNumber, to_whole<rounded>},
});

}  // namespace

BuiltinTable arithmetic() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
