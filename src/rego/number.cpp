#include "src/rego/number.hpp"

#include "src/rego/big_integer.hpp"
#include "src/rego/decimal.hpp"
#include "src/rego/hash.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace sallyport::rego {
namespace {

// Digit by digit, past the point that either may hold.
std::strong_ordering compare_digits(std::string_view left, std::string_view right) noexcept {
  auto ours = left.begin();
  auto theirs = right.begin();
  while (true) {
    if (ours != left.end() && *ours == '.') ++ours;
    if (theirs != right.end() && *theirs == '.') ++theirs;
    if (ours == left.end() || theirs == right.end()) {
      return (ours != left.end()) <=> (theirs != right.end());
    }
    if (*ours != *theirs) return *ours <=> *theirs;
    ++ours;
    ++theirs;
  }
}

int sign_of(Decimal const& decimal) noexcept {
  if (decimal.is_zero()) return 0;
  return decimal.negative ? -1 : 1;
}

std::optional<std::int64_t> to_int64(Decimal const& decimal) noexcept {
  constexpr std::int64_t kMostDigits = 19;
  if (!decimal.is_integer() || decimal.magnitude > kMostDigits) return std::nullopt;
  std::uint64_t value = 0;  // 19 digits fit
  for (auto const digit : decimal.digits) {
    if (digit != '.') value = value * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  for (auto at = static_cast<std::int64_t>(decimal.count); at < decimal.magnitude; ++at) {
    value *= 10;
  }
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value > kLargest + (decimal.negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(decimal.negative ? 0 - value : value);
}

// The digits of a float in the shortest form that reads back as the same, as Go's big.Float writes
// them: integers in full, others with an exponent where it is below -4 or at least 6.
std::string to_text(long double value) {
  std::array<char, 64> room;  // NOLINT(cppcoreguidelines-pro-type-member-init): to_chars fills it
  auto const end =
      std::to_chars(room.data(), room.data() + room.size(), value, std::chars_format::scientific)
          .ptr;
  std::string_view const written{room.data(), static_cast<std::size_t>(end - room.data())};
  constexpr int kExponentFrom = 6;
  constexpr int kExponentBelow = -4;
  auto const decimal = to_decimal(written);
  auto const exponent = decimal.magnitude - 1;
  bool const whole = decimal.is_integer();
  if (!whole && (exponent < kExponentBelow || exponent >= kExponentFrom))
    return std::string{written};

  std::string digits;
  std::ranges::copy_if(decimal.digits, std::back_inserter(digits),
                       [](char byte) { return byte != '.'; });
  std::string result = decimal.negative ? "-" : "";
  if (whole) {
    digits.append(static_cast<std::size_t>(decimal.magnitude) - decimal.count, '0');
    return result + digits;
  }
  if (decimal.magnitude <= 0) {
    return result + "0." + std::string(static_cast<std::size_t>(-decimal.magnitude), '0') + digits;
  }
  auto const point = static_cast<std::size_t>(decimal.magnitude);
  return result + digits.substr(0, point) + '.' + digits.substr(point);
}

NumberResult checked(Value value) {
  if (!value.is_defined()) return {.value = {}, .error = NumberError::TooLarge};
  return {.value = value};
}

template <class OnIntegers, class OnFloats>
NumberResult compute(Value left, Value right, Arena& arena, OnIntegers on_integers,
                     OnFloats on_floats) {
  if (is_integer(left) && is_integer(right)) {
    return checked(
        make_number(BigInteger{on_integers(*to_big_integer(left), *to_big_integer(right))}, arena));
  }
  return checked(make_number(on_floats(to_float(left), to_float(right)), arena));
}

}  // namespace

std::optional<BigInteger> to_big_integer(Value number) {
  if (number.is_int64()) return BigInteger{number.as_int64()};
  auto const decimal = to_decimal(number.as_number_text());
  if (decimal.is_zero()) return BigInteger{0};
  if (!decimal.is_integer()) return std::nullopt;
  std::string digits = decimal.negative ? "-" : "";
  std::ranges::copy_if(decimal.digits, std::back_inserter(digits),
                       [](char byte) { return byte != '.'; });
  digits.append(static_cast<std::size_t>(decimal.magnitude) - decimal.count, '0');
  return BigInteger{digits};  // of digits only, without a leading zero: does not throw
}

Value make_number(BigInteger const& value, Arena& arena) {
  constexpr unsigned kMostBits = 100'000;  // some 10^30103
  if (value >= std::numeric_limits<std::int64_t>::min() &&
      value <= std::numeric_limits<std::int64_t>::max()) {
    return Value::integer(static_cast<std::int64_t>(value));
  }
  if (msb(abs(value)) >= kMostBits) return {};
  return Value::number_text(arena.copy(value.str()));
}

Value make_number(std::string_view text, Arena& arena) {
  if (!is_number(text)) return {};
  std::int64_t value = 0;
  auto const* const end = text.data() + text.size();
  auto const read = std::from_chars(text.data(), end, value);
  bool const plain = read.ec == std::errc{} && read.ptr == end;
  if (plain && text != "-0") return Value::integer(value);
  return Value::number_text(arena.copy(text));
}

Value make_number(long double value, Arena& arena) {
  if (!std::isfinite(value)) return {};
  constexpr long double kTwoTo63 = 9223372036854775808.0L;
  if (value >= -kTwoTo63 && value < kTwoTo63 && std::trunc(value) == value) {
    return Value::integer(static_cast<std::int64_t>(value));
  }
  return Value::number_text(arena.copy(to_text(value)));
}

Value make_number(std::uint64_t value, Arena& arena) {
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return Value::integer(static_cast<std::int64_t>(value));
  }
  IntegerText room;  // NOLINT(cppcoreguidelines-pro-type-member-init): to_chars fills it
  auto const end = std::to_chars(room.data(), room.data() + room.size(), value).ptr;
  return Value::number_text(arena.copy({room.data(), static_cast<std::size_t>(end - room.data())}));
}

std::strong_ordering compare_numbers(Value left, Value right) noexcept {
  if (left.is_int64() && right.is_int64()) return left.as_int64() <=> right.as_int64();
  IntegerText our_room;    // NOLINT(cppcoreguidelines-pro-type-member-init)
  IntegerText their_room;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  auto const ours = to_decimal(left, our_room);
  auto const theirs = to_decimal(right, their_room);
  auto const our_sign = sign_of(ours);
  auto const their_sign = sign_of(theirs);
  if (our_sign != their_sign || our_sign == 0) return our_sign <=> their_sign;
  auto const order = ours.magnitude != theirs.magnitude
                         ? ours.magnitude <=> theirs.magnitude
                         : compare_digits(ours.digits, theirs.digits);
  return our_sign > 0 ? order : 0 <=> order;
}

std::uint64_t hash_number(Value number) noexcept {
  if (number.is_int64()) return mix(static_cast<std::uint64_t>(number.as_int64()) ^ kMixB, kMixA);
  auto const decimal = to_decimal(number.as_number_text());
  if (auto const integer = to_int64(decimal)) {
    return mix(static_cast<std::uint64_t>(*integer) ^ kMixB, kMixA);
  }
  auto result = mix(static_cast<std::uint64_t>(decimal.magnitude) ^ kMixA, kMixB);
  if (decimal.negative) result = ~result;
  for (auto const digit : decimal.digits) {
    if (digit != '.') result = mix(result ^ static_cast<std::uint64_t>(digit), kMixA);
  }
  return result;
}

void append_number(Value number, std::string& out) {
  if (!number.is_int64()) {
    out += number.as_number_text();
    return;
  }
  IntegerText room;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  auto const end = std::to_chars(room.data(), room.data() + room.size(), number.as_int64()).ptr;
  out.append(room.data(), end);
}

bool is_integer(Value number) noexcept {
  if (number.is_int64()) return true;
  return to_decimal(number.as_number_text()).is_integer();
}

std::optional<std::int64_t> to_int64(Value number) noexcept {
  if (number.is_int64()) return number.as_int64();
  return to_int64(to_decimal(number.as_number_text()));
}

long double to_float(Value number) noexcept {
  if (number.is_int64()) return static_cast<long double>(number.as_int64());
  auto const text = number.as_number_text();
  long double value = 0;
  auto const read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc::result_out_of_range) return value;
  auto const decimal = to_decimal(text);
  if (decimal.magnitude < 0) return 0;
  auto const infinity = std::numeric_limits<long double>::infinity();
  return decimal.negative ? -infinity : infinity;
}

NumberResult add(Value left, Value right, Arena& arena) {
  std::int64_t sum = 0;
  if (left.is_int64() && right.is_int64() &&
      !__builtin_add_overflow(left.as_int64(), right.as_int64(), &sum)) {
    return {.value = Value::integer(sum)};
  }
  return compute(left, right, arena, std::plus<>{}, std::plus<>{});
}

NumberResult subtract(Value left, Value right, Arena& arena) {
  std::int64_t difference = 0;
  if (left.is_int64() && right.is_int64() &&
      !__builtin_sub_overflow(left.as_int64(), right.as_int64(), &difference)) {
    return {.value = Value::integer(difference)};
  }
  return compute(left, right, arena, std::minus<>{}, std::minus<>{});
}

NumberResult multiply(Value left, Value right, Arena& arena) {
  std::int64_t product = 0;
  if (left.is_int64() && right.is_int64() &&
      !__builtin_mul_overflow(left.as_int64(), right.as_int64(), &product)) {
    return {.value = Value::integer(product)};
  }
  return compute(left, right, arena, std::multiplies<>{}, std::multiplies<>{});
}

// Always in floats, also of integers.
NumberResult divide(Value left, Value right, Arena& arena) {
  if (equal(right, Value::integer(0))) return {.value = {}, .error = NumberError::DivideByZero};
  return checked(make_number(to_float(left) / to_float(right), arena));
}

NumberResult modulo(Value left, Value right, Arena& arena) {
  if (!is_integer(left) || !is_integer(right)) {
    return {.value = {}, .error = NumberError::ModuloOfFloat};
  }
  auto const dividend = to_int64(left);
  auto const divisor = to_int64(right);
  if (divisor == 0) return {.value = {}, .error = NumberError::ModuloByZero};
  if (dividend && divisor) {
    // The one pair whose quotient does not fit would trap.
    return {.value = Value::integer(*divisor == -1 ? 0 : *dividend % *divisor)};
  }
  return checked(make_number(BigInteger{*to_big_integer(left) % *to_big_integer(right)}, arena));
}

}  // namespace sallyport::rego
