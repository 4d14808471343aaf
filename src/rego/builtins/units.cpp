// units.parse computes with exact fractions, units.parse_bytes with floats of 64 bits, as in OPA.
#include "src/rego/big_integer.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/tables.hpp"
#include "src/rego/decimal.hpp"
#include "src/rego/number.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace sallyport::rego::builtins {
namespace {

constexpr std::size_t kMostExponentDigits = 6;
constexpr int kDecimals = 10;  // that units.parse gives where the result is no integer

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::uint64_t binary(int power) noexcept {
  return std::uint64_t{1} << (10 * power);
}

constexpr std::array<Unit, 13> kUnits{{
    {"", 1},
    {"k", 1'000},
    {"ki", binary(1)},
    {"m", 1'000'000},
    {"mi", binary(2)},
    {"g", 1'000'000'000},
    {"gi", binary(3)},
    {"t", 1'000'000'000'000},
    {"ti", binary(4)},
    {"p", 1'000'000'000'000'000},
    {"pi", binary(5)},
    {"e", 1'000'000'000'000'000'000},
    {"ei", binary(6)},
}};

std::optional<std::uint64_t> factor_of(std::string_view unit) {
  for (auto const& [name, factor] : kUnits) {
    if (name == unit) return factor;
  }
  return std::nullopt;
}

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c;
}

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

struct Amount {
  std::string_view number;
  std::string_view unit;
};

// Where the number ends and the unit begins; nothing where the exponent is too long.
std::optional<Amount> take_apart(std::string_view text) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    char const c = text[at];
    if (is_digit(c) || c == '.' || c == '+' || c == '-') continue;
    if (c != 'e' && c != 'E') break;
    // An E begins an exponent or is the unit: exa.
    char const next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (!is_digit(next) && next != '+' && next != '-') break;
    if (!is_digit(next)) ++at;
    auto const digits = text.substr(at + 1);
    if (std::ranges::find_if_not(digits, is_digit) - digits.begin() >
        static_cast<std::ptrdiff_t>(kMostExponentDigits)) {
      return std::nullopt;
    }
  }
  return Amount{text.substr(0, at), text.substr(at)};
}

// [+-] digits [. digits] [e [+-] digits], with a digit before the exponent.
struct Scientific {
  bool negative{false};
  std::string digits;  // without the point
  std::int64_t exponent{0};
};

std::optional<Scientific> parse_number(std::string_view text) {
  if (text.size() > kLongestNumber) return std::nullopt;
  Scientific number;
  if (text.starts_with('+') || text.starts_with('-')) {
    number.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  bool point = false;
  while (!text.empty() && (is_digit(text.front()) || (text.front() == '.' && !point))) {
    if (text.front() == '.') {
      point = true;
    } else {
      number.digits += text.front();
      if (point) --number.exponent;
    }
    text.remove_prefix(1);
  }
  if (number.digits.empty()) return std::nullopt;
  if (text.empty()) return number;
  if (lower(text.front()) != 'e') return std::nullopt;
  text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  auto const read = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  number.exponent += exponent;
  return number;
}

std::string_view without_zeros(std::string_view digits) {
  auto const first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? std::string_view{} : digits.substr(first);
}

BigInteger power_of_ten(std::int64_t exponent) {
  return boost::multiprecision::pow(BigInteger{10}, static_cast<unsigned>(exponent));
}

struct Fraction {
  BigInteger numerator;
  BigInteger denominator{1};
};

// An integer where it is one, else with ten decimals, rounded half away from zero.
std::string text_of(Fraction const& value, bool negative) {
  BigInteger whole;
  BigInteger rest;
  divide_qr(value.numerator, value.denominator, whole, rest);
  std::string const sign = negative ? "-" : "";
  if (rest.is_zero()) return (whole.is_zero() ? "" : sign) + whole.str();
  BigInteger const scaled = value.numerator * power_of_ten(kDecimals);
  divide_qr(scaled, value.denominator, whole, rest);
  if (rest * 2 >= value.denominator) ++whole;
  auto digits = whole.str();
  if (digits.size() <= kDecimals) digits.insert(0, kDecimals + 1 - digits.size(), '0');
  digits.insert(digits.size() - kDecimals, ".");
  return sign + digits;
}

Value fail_units(BuiltinCall& call, std::string_view why) {
  return call.fail("units.parse: " + std::string{why});
}

Value compute_units(BuiltinCall& call, Scientific const& number, Fraction const& factor) {
  auto const digits = without_zeros(number.digits);
  if (digits.empty()) return Value::integer(0);
  auto const magnitude = static_cast<std::int64_t>(digits.size()) + number.exponent;
  if (magnitude > kLargestMagnitude) return fail_units(call, "exponent too large");
  // Far below what ten decimals show: the powers of ten need not be computed.
  if (magnitude < -64) {
    return make_number(number.negative ? "-0.0000000000" : "0.0000000000", call.arena);
  }
  Fraction value{BigInteger{std::string{digits}} * factor.numerator, factor.denominator};
  if (number.exponent >= 0) {
    value.numerator *= power_of_ten(number.exponent);
  } else {
    value.denominator *= power_of_ten(-number.exponent);
  }
  auto const result = make_number(text_of(value, number.negative), call.arena);
  return result.is_defined() ? result : fail_units(call, "exponent too large");
}

std::string without_quotes(std::string_view text) {
  std::string result;
  for (char const c : text) {
    if (c != '"') result += c;
  }
  return result;
}

Value parse(BuiltinCall& call, Operands operands) {
  std::string_view raw;
  if (!read_string(call, operands, 1, raw)) return {};
  if (!charge_bytes(call, raw.size())) return stopped(call);
  auto const text = without_quotes(raw);
  if (text.find(' ') != std::string::npos) {
    return fail_units(call, "spaces not allowed in resource strings");
  }
  auto const amount = take_apart(text);
  if (!amount) return fail_units(call, "exponent too large");
  if (amount->number.empty()) return fail_units(call, "no amount provided");

  // Only the first letter's case matters: m is milli, M is mega.
  std::string unit{amount->unit};
  for (std::size_t i = 1; i < unit.size(); ++i) unit[i] = lower(unit[i]);
  Fraction factor;
  if (unit == "m") {
    // The float64 that is nearest to 0.001, which OPA multiplies by.
    factor = {BigInteger{1'152'921'504'606'847}, BigInteger{1} << 60};
  } else {
    std::string name = unit;
    if (!name.empty()) name.front() = lower(name.front());
    auto const known = factor_of(name);
    if (!known) return fail_units(call, "unit " + unit + " not recognized");
    factor.numerator = *known;
  }
  auto const number = parse_number(amount->number);
  if (!number) return fail_units(call, "could not parse amount to a number");
  return compute_units(call, *number, factor);
}

Value fail_bytes(BuiltinCall& call, std::string_view why) {
  return call.fail("units.parse_bytes: " + std::string{why});
}

// The integer part, exactly.
BigInteger truncated(long double value) {
  int exponent = 0;
  auto const mantissa = std::frexp(value, &exponent);
  // A long double has a mantissa of 64 bits here.
  BigInteger result{static_cast<std::uint64_t>(std::ldexp(mantissa, 64))};
  return exponent >= 64 ? BigInteger{result << (exponent - 64)}
         : exponent > 0 ? BigInteger{result >> (64 - exponent)}
                        : BigInteger{0};
}

Value parse_bytes(BuiltinCall& call, Operands operands) {
  std::string_view raw;
  if (!read_string(call, operands, 1, raw)) return {};
  if (!charge_bytes(call, raw.size())) return stopped(call);
  auto text = without_quotes(raw);
  std::ranges::transform(text, text.begin(), lower);
  if (text.find(' ') != std::string::npos) {
    return fail_bytes(call, "spaces not allowed in resource strings");
  }
  auto const amount = take_apart(text);
  if (!amount) return fail_bytes(call, "exponent too large");
  if (amount->number.empty()) return fail_bytes(call, "no byte amount provided");

  auto name = amount->unit;
  if (name.size() > 1 && name.ends_with('b')) name.remove_suffix(1);
  auto const factor = factor_of(name);
  if (!factor) {
    return fail_bytes(call, "byte unit " + std::string{amount->unit} + " not recognized");
  }
  auto const number = parse_number(amount->number);
  if (!number) return fail_bytes(call, "could not parse byte amount to a number");

  auto const digits = number->digits + "e" + std::to_string(number->exponent);
  long double value = 0;
  auto const read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  auto const is_small = static_cast<std::int64_t>(number->digits.size()) + number->exponent < 0;
  if (read.ec == std::errc::result_out_of_range && is_small) value = 0;
  value *= static_cast<long double>(*factor);
  if ((read.ec == std::errc::result_out_of_range && !is_small) || !std::isfinite(value)) {
    return fail_bytes(call, "exponent too large");
  }
  auto total = truncated(value);
  if (number->negative) total = -total;
  return make_number(total, call.arena);
}

constexpr Builtin kTable[] = {
    {"units.parse", "string -> number", parse},
    {"units.parse_bytes", "string -> number", parse_bytes},
};

}  // namespace

BuiltinTable units() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
