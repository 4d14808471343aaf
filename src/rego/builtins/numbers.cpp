#include "src/base/ascii.hpp"
#include "src/rego/big_integer.hpp"
#include "src/rego/build.hpp"
#include "src/rego/builtins/number_operands.hpp"
#include "src/rego/builtins/tables.hpp"
#include "src/rego/decimal.hpp"
#include "src/rego/hash.hpp"
#include "src/rego/json.hpp"

#include <array>
#include <cmath>

namespace sallyport::rego::builtins {
namespace {

// From `first` to `last`, downwards where that is smaller, `step` apart.
Value make_range(BuiltinCall& call, Value first, Value last, Value step) {
  auto const from = *to_big_integer(first);
  auto const to = *to_big_integer(last);
  auto const apart = *to_big_integer(step);
  BigInteger const steps = abs(BigInteger{to - from}) / apart;
  auto const most = call.budget.limits().most_items;
  if (steps >= most) {
    return call.halt("the range has more than " + std::to_string(most) + " numbers");
  }
  auto const count = static_cast<std::size_t>(steps) + 1;
  if (!call.budget.charge(count)) return stopped(call);

  auto const items = call.arena.allocate_span<Value>(count);
  auto const start = to_int64(first);
  auto const each = to_int64(step);
  if (start && each && to_int64(last)) {
    // Everything between the two fits as well; unsigned, since a product alone may not.
    auto const stride_of_64 = static_cast<std::uint64_t>(to < from ? -*each : *each);
    for (std::size_t at = 0; at < count; ++at) {
      items[at] = Value::integer(
          static_cast<std::int64_t>(static_cast<std::uint64_t>(*start) + at * stride_of_64));
    }
    return Value::array(items);
  }
  BigInteger const stride = to < from ? BigInteger{-apart} : apart;
  auto next = from;
  for (auto& item : items) {
    item = make_number(next, call.arena);
    if (!item.is_defined()) return too_large(call);
    if (call.arena.exhausted() || !charge_digits(call, item, item)) return stopped(call);
    next += stride;
  }
  return Value::array(items);
}

Value range(BuiltinCall& call, Operands operands) {
  Value first;
  Value last;
  if (!read_integer(call, operands, 1, first) || !read_integer(call, operands, 2, last)) return {};
  return make_range(call, first, last, Value::integer(1));
}

Value range_step(BuiltinCall& call, Operands operands) {
  Value first;
  Value last;
  Value step;
  if (!read_integer(call, operands, 1, first) || !read_integer(call, operands, 2, last) ||
      !read_integer(call, operands, 3, step)) {
    return {};
  }
  if (compare(step, Value::integer(0)) <= 0) {
    return call.fail("numbers.range_step: step must be a positive integer");
  }
  return make_range(call, first, last, step);
}

// The same name and bound give the same number within an evaluation: it comes from them and the
// seed alone.
Value random_integer(BuiltinCall& call, Operands operands) {
  std::string_view name;
  std::int64_t bound = 0;
  if (!read_string(call, operands, 1, name) || !read_int(call, operands, 2, bound)) return {};
  if (bound == 0) return Value::integer(0);
  auto const size =
      bound < 0 ? 0 - static_cast<std::uint64_t>(bound) : static_cast<std::uint64_t>(bound);
  auto const random = mix(mix(call.seed ^ kMixA, hash_text(name) ^ kMixB), size ^ kMixA);
  return Value::integer(static_cast<std::int64_t>(random % size));
}

// The digits of an integer, bit by bit: the base is a power of two.
std::string digits_of(BigInteger const& value, unsigned bits_each) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (value == 0) return "0";
  std::vector<unsigned char> chunks;
  export_bits(BigInteger{abs(value)}, std::back_inserter(chunks), bits_each);
  std::string text = value < 0 ? "-" : "";
  for (auto const chunk : chunks) text += kDigits[chunk];
  return text;
}

Value format_integer(BuiltinCall& call, Operands operands) {
  Value number;
  Value base;
  if (!read_number(call, operands, 1, number) || !read_number(call, operands, 2, base)) return {};
  unsigned bits_each = 0;
  switch (base.is_int64() ? base.as_int64() : 0) {
    case 2: bits_each = 1; break;
    case 8: bits_each = 3; break;
    case 10: break;
    case 16: bits_each = 4; break;
    default: return call.wrong_operand(2, "must be one of {2, 8, 10, 16}");
  }
  if (!charge_digits(call, number, number)) return stopped(call);
  auto value = to_big_integer(number);
  if (!value) {
    auto const whole = std::trunc(to_float(number));  // towards zero
    if (!std::isfinite(whole)) return too_large(call);
    value = BigInteger{whole};
  }
  return make_text(call, bits_each == 0 ? value->str() : digits_of(*value, bits_each));
}

// What Go's ParseFloat reads beyond JSON's grammar: a plus, zeros in front, a missing digit on
// either side of the point. In JSON's grammar.
std::string as_json_number(std::string_view text) {
  std::string result;
  if (text.starts_with('+') || text.starts_with('-')) {
    if (text.front() == '-') result = "-";
    text.remove_prefix(1);
  }
  auto const exponent = std::min(text.find_first_of("eE"), text.size());
  auto const point = std::min(text.find('.'), exponent);
  auto whole = text.substr(0, point);
  auto const fraction = point < exponent ? text.substr(point + 1, exponent - point - 1) : "";
  if (whole.empty() && fraction.empty()) return {};
  while (whole.size() > 1 && whole.front() == '0') whole.remove_prefix(1);
  result += whole.empty() ? "0" : whole;
  if (!fraction.empty()) result.append(".").append(fraction);
  return result.append(text.substr(exponent));
}

// Beyond the largest double Go says "value out of range".
bool is_in_range(Value number) {
  return std::isfinite(static_cast<double>(to_float(number)));
}

Value parse_number(BuiltinCall& call, Value text) {
  auto const given = text.as_string();
  auto word = given;
  while (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
  std::string const lower = lowered(word.substr(0, 16));
  if (word.size() <= 16 && (lower == "inf" || lower == "infinity" || lower == "nan")) {
    return call.wrong_type(1, "valid number string", text);
  }
  if (!charge_bytes(call, given.size())) return stopped(call);
  auto const quoted = to_rego(Value::string(given.substr(0, 256)));
  auto number = make_number(given, call.arena);
  if (!number.is_defined()) {
    auto const json = as_json_number(given);
    number = make_number(json, call.arena);
    if (!number.is_defined()) {
      bool const syntax = json.find_first_not_of("0123456789.eE+-") != std::string::npos ||
                          json.empty() || json.find_first_of("eE.") == std::string::npos;
      return call.fail("strconv.ParseFloat: parsing " + quoted +
                       (syntax ? ": invalid syntax" : ": value out of range"));
    }
  }
  if (is_in_range(number)) return number;
  return call.fail("strconv.ParseFloat: parsing " + quoted + ": value out of range");
}

Value to_number(BuiltinCall& call, Operands operands) {
  auto const value = operands[0];
  switch (value.kind()) {
    case Kind::Null: return Value::integer(0);
    case Kind::Boolean: return Value::integer(value.as_boolean() ? 1 : 0);
    case Kind::Number: return value;
    case Kind::String: return parse_number(call, value);
    case Kind::Undefined:
    case Kind::Array:
    case Kind::Object:
    case Kind::Set: break;
  }
  return call.wrong_type(1, "one of {null, boolean, number, string}", value);
}

constexpr auto kTable = std::to_array<Builtin>({
    {"format_int", "number, number -> string", format_integer},
    {"numbers.range", "number, number -> array[number]", range},
    {"numbers.range_step", "number, number, number -> array[number]", range_step},
    {"rand.intn", "string, number -> number", random_integer, nullptr, Builtin::kNondeterministic},
    {"to_number", "any<null, boolean, number, string> -> number", to_number},
});

}  // namespace

BuiltinTable numbers() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
