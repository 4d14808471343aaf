#include "src/rego/builtins/go_number.hpp"

#include "src/rego/big_integer.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <vector>

namespace sallyport::rego::builtins {
namespace {

// The value is 0.DIGITS × 10^point; the digits have no zeros at the end.
struct Digits {
  std::string digits;
  int point{0};
};

std::string to_chars(double value, std::chars_format format, int precision) {
  // The longest is the largest double with all of the precision behind its point.
  std::vector<char> room(static_cast<std::size_t>(std::max(precision, 0)) + 400);
  auto* const begin = room.data();
  auto* const end = begin + room.size();
  auto const written = precision < 0 ? std::to_chars(begin, end, value, format)
                                     : std::to_chars(begin, end, value, format, precision);
  return {begin, written.ptr};
}

// `count` negative: as few as possible.
Digits digits_of_float(double value, int count) {
  auto const text = to_chars(value, std::chars_format::scientific, count < 0 ? -1 : count - 1);
  auto const e = text.find('e');
  Digits result;
  for (char const c : text.substr(0, e)) {
    if (c != '.') result.digits += c;
  }
  auto const* exponent = text.data() + e + 1;
  if (*exponent == '+') ++exponent;
  int power = 0;
  std::from_chars(exponent, text.data() + text.size(), power);
  auto const last = result.digits.find_last_not_of('0');
  result.digits.resize(last == std::string::npos ? 0 : last + 1);
  result.point = result.digits.empty() ? 0 : power + 1;
  return result;
}

// Go writes at least two digits of an exponent, as C++ does for decimal but not for hexadecimal.
void append_exponent(std::string& out, char mark, int exponent) {
  out += mark;
  out += exponent < 0 ? '-' : '+';
  auto const digits = std::to_string(std::abs(exponent));
  if (digits.size() < 2) out += '0';
  out += digits;
}

std::string scientific(Digits const& number, char mark, int precision) {
  std::string out{number.digits.empty() ? '0' : number.digits.front()};
  if (precision > 0) {
    out += '.';
    auto const behind = number.digits.size() > 1 ? number.digits.substr(1) : std::string{};
    out += behind.substr(0, static_cast<std::size_t>(precision));
    out.resize(2 + static_cast<std::size_t>(precision), '0');
  }
  append_exponent(out, mark, number.digits.empty() ? 0 : number.point - 1);
  return out;
}

std::string positional(Digits const& number) {
  auto const& [digits, point] = number;
  if (point <= 0) {
    if (digits.empty()) return "0";
    return "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  }
  auto const before = static_cast<std::size_t>(point);
  if (digits.size() <= before) return digits + std::string(before - digits.size(), '0');
  return digits.substr(0, before) + "." + digits.substr(before);
}

// From which exponent on %g writes one, where it is to find the number of digits itself.
constexpr int kShortestThreshold = 6;

// %g: as %e for large and small exponents, without zeros at the end.
std::string general(double value, char mark, int precision) {
  auto const shortest = precision < 0;
  auto const wanted = precision == 0 ? 1 : precision;
  auto const number = digits_of_float(value, wanted);
  auto const count = static_cast<int>(number.digits.size());
  auto const exponent = number.digits.empty() ? 0 : number.point - 1;
  if (exponent < -4 || exponent >= (shortest ? kShortestThreshold : wanted)) {
    return scientific(number, mark, count - 1);
  }
  return positional(number);
}

std::string hexadecimal(double value, bool upper_case, int precision) {
  auto text = to_chars(value, std::chars_format::hex, precision);
  auto const p = text.find('p');
  int exponent = 0;
  auto const* digits = text.data() + p + 1;
  if (*digits == '+') ++digits;
  std::from_chars(digits, text.data() + text.size(), exponent);
  std::string out = "0x" + text.substr(0, p);
  append_exponent(out, 'p', exponent);
  if (upper_case)
    std::ranges::transform(out, out.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 0x20) : c;
    });
  return out;
}

// The mantissa as an integer, and the power of two: 4503599627370496p-52.
std::string binary(double value) {
  auto const bits = std::bit_cast<std::uint64_t>(value);
  auto mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  auto exponent = static_cast<int>(bits >> 52 & 0x7FF);
  if (exponent == 0) {
    exponent = 1;
  } else {
    mantissa |= std::uint64_t{1} << 52;
  }
  auto const power = exponent - 1075;
  return std::to_string(mantissa) + 'p' + (power < 0 ? "" : "+") + std::to_string(power);
}

std::string unsigned_float(double value, char verb, int precision) {
  switch (verb) {
    case 'e':
    case 'E':
      if (precision < 0) {
        auto const number = digits_of_float(value, -1);
        return scientific(number, verb, static_cast<int>(number.digits.size()) - 1);
      }
      return scientific(digits_of_float(value, precision + 1), verb, precision);
    case 'f':
    case 'F': return to_chars(value, std::chars_format::fixed, precision);
    case 'x': return hexadecimal(value, false, precision);
    case 'X': return hexadecimal(value, true, precision);
    case 'b': return binary(value);
    default: return general(value, verb == 'G' ? 'E' : 'e', precision);
  }
}

}  // namespace

std::string format_float(double value, char verb, int precision) {
  return (std::signbit(value) ? "-" : "+") + unsigned_float(std::fabs(value), verb, precision);
}

std::string digits_of(std::uint64_t value, unsigned base, bool upper_case) {
  char room[64];
  auto const written = std::to_chars(room, room + sizeof room, value, static_cast<int>(base));
  std::string digits{room, written.ptr};
  if (upper_case) {
    for (auto& c : digits) c = c >= 'a' ? static_cast<char>(c - 0x20) : c;
  }
  return digits;
}

std::string digits_of(std::string_view decimal, unsigned base, bool upper_case) {
  if (base == 10) return std::string{decimal};
  auto const flags = base == 16  ? std::ios_base::hex
                     : base == 8 ? std::ios_base::oct
                                 : std::ios_base::fmtflags{};
  BigInteger const value{std::string{decimal}};
  if (base == 2) {
    std::string digits;
    auto const bits = value.is_zero() ? 1 : boost::multiprecision::msb(value) + 1;
    for (auto bit = bits; bit-- > 0;) {
      digits += boost::multiprecision::bit_test(value, static_cast<unsigned>(bit)) ? '1' : '0';
    }
    return digits;
  }
  return value.str(0, flags | (upper_case ? std::ios_base::uppercase : std::ios_base::fmtflags{}));
}

}  // namespace sallyport::rego::builtins
