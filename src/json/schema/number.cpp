#include "src/json/schema/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace sallyport::json {
namespace {

using boost::json::kind;
__extension__ using Wide = unsigned __int128;  // for products of two 64-bit numbers

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

std::strong_ordering order(double left, double right) noexcept {
  if (left < right) return std::strong_ordering::less;
  return left > right ? std::strong_ordering::greater : std::strong_ordering::equal;
}

// The integer part is compared as integers: converting a large integer to a double would round it.
template <class Integer>
std::strong_ordering order_mixed(Integer integer, double number, double below, double beyond) {
  if (number >= beyond) return std::strong_ordering::less;
  if (number < below) return std::strong_ordering::greater;
  auto const whole = static_cast<Integer>(number);
  if (integer != whole) return integer <=> whole;
  return order(0, number - std::trunc(number));
}

std::strong_ordering order_with_double(Value const& integer, double number) noexcept {
  if (auto const* value = integer.if_int64()) {
    return order_mixed(*value, number, -kTwoTo63, kTwoTo63);
  }
  return order_mixed(integer.get_uint64(), number, 0.0, kTwoTo64);
}

// digits * 10^exponent, without its sign.
struct Decimal {
  std::uint64_t digits{0};
  int exponent{0};
};

Decimal decimal_of(double number) {
  std::array<char, 64> text{};
  auto const* const end = std::to_chars(text.data(), text.data() + text.size(), std::abs(number),
                                        std::chars_format::scientific)
                              .ptr;
  Decimal decimal;
  bool fraction = false;
  auto const* at = text.data();
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
    } else {
      decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(*at - '0');
      decimal.exponent -= fraction ? 1 : 0;
    }
  }
  int exponent{0};
  if (at != end) std::from_chars(at[1] == '+' ? at + 2 : at + 1, end, exponent);
  decimal.exponent += exponent;
  return decimal;
}

Decimal decimal_of(Value const& number) {
  if (auto const* value = number.if_int64()) {
    auto const bits = static_cast<std::uint64_t>(*value);
    return {*value < 0 ? 0 - bits : bits, 0};
  }
  if (auto const* value = number.if_uint64()) return {*value, 0};
  return decimal_of(number.get_double());
}

std::uint64_t power_of_ten_modulo(int exponent, std::uint64_t modulus) {
  Wide result = 1 % modulus;
  Wide base = 10 % modulus;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = result * base % modulus;
    base = base * base % modulus;
  }
  return static_cast<std::uint64_t>(result);
}

bool equal_objects(Object const& left, Object const& right) noexcept {
  return left.size() == right.size() &&
         std::all_of(left.begin(), left.end(), [&right](auto const& member) {
           auto const* other = right.if_contains(member.key());
           return other != nullptr && equal(member.value(), *other);
         });
}

}  // namespace

std::strong_ordering compare_numbers(Value const& left, Value const& right) noexcept {
  auto const* left_double = left.if_double();
  auto const* right_double = right.if_double();
  if (left_double != nullptr && right_double != nullptr) return order(*left_double, *right_double);
  if (right_double != nullptr) return order_with_double(left, *right_double);
  if (left_double != nullptr) return 0 <=> order_with_double(right, *left_double);
  auto const* left_signed = left.if_int64();
  auto const* right_signed = right.if_int64();
  if (left_signed != nullptr && right_signed != nullptr) return *left_signed <=> *right_signed;
  if (left_signed != nullptr && *left_signed < 0) return std::strong_ordering::less;
  if (right_signed != nullptr && *right_signed < 0) return std::strong_ordering::greater;
  return decimal_of(left).digits <=> decimal_of(right).digits;
}

bool is_integral(Value const& number) noexcept {
  auto const* value = number.if_double();
  return value == nullptr ? number.is_number() : *value == std::trunc(*value);
}

bool is_multiple_of(Value const& number, Value const& divisor) noexcept {
  auto const left = decimal_of(number);
  auto const right = decimal_of(divisor);
  if (left.digits == 0) return true;
  if (right.digits == 0) return false;
  auto const shift = left.exponent - right.exponent;
  if (shift >= 0) {
    return Wide{left.digits} % right.digits * power_of_ten_modulo(shift, right.digits) %
               right.digits ==
           0;
  }
  if (shift < -19) return false;  // the divisor is greater than the number
  Wide scaled = right.digits;
  for (int step = shift; step < 0; ++step) scaled *= 10;
  return Wide{left.digits} % scaled == 0;
}

bool equal(Value const& left, Value const& right) noexcept {
  if (left.is_number() && right.is_number()) {
    return compare_numbers(left, right) == std::strong_ordering::equal;
  }
  if (left.kind() != right.kind()) return false;
  switch (left.kind()) {
    case kind::null: return true;
    case kind::bool_: return left.get_bool() == right.get_bool();
    case kind::string: return left.get_string() == right.get_string();
    case kind::object: return equal_objects(left.get_object(), right.get_object());
    case kind::array:
      return std::equal(left.get_array().begin(), left.get_array().end(), right.get_array().begin(),
                        right.get_array().end(), equal);
    case kind::int64:
    case kind::uint64:
    case kind::double_: break;  // handled above
  }
  return false;
}

std::size_t weight(Value const& value) noexcept {
  std::size_t sum = 1;
  if (auto const* text = value.if_string()) {
    sum = weight(view(*text));
  } else if (auto const* array = value.if_array()) {
    for (auto const& element : *array) sum += weight(element);
  } else if (auto const* object = value.if_object()) {
    for (auto const& member : *object) sum += member.key().size() / 64 + weight(member.value());
  }
  return sum;
}

}  // namespace sallyport::json
