#include "src/rego/decimal.hpp"

#include <algorithm>
#include <charconv>

namespace sallyport::rego {
namespace {

constexpr bool is_digit(char byte) noexcept {
  return byte >= '0' && byte <= '9';
}

std::size_t count_digits(std::string_view text) noexcept {
  auto const end = std::ranges::find_if_not(text, is_digit);
  return static_cast<std::size_t>(end - text.begin());
}

// Far outside the limits stays far outside, without overflow.
std::int64_t read_exponent(std::string_view text) noexcept {
  constexpr std::int64_t kFarOutside = 1'000'000'000;
  bool const negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  for (auto const digit : text) {
    exponent = std::min(exponent * 10 + (digit - '0'), kFarOutside);
  }
  return negative ? -exponent : exponent;
}

bool has_number_grammar(std::string_view text) noexcept {
  if (text.starts_with('-')) text.remove_prefix(1);
  auto const whole = count_digits(text);
  if (whole == 0 || (whole > 1 && text.front() == '0')) return false;
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    auto const fraction = count_digits(text);
    if (fraction == 0) return false;
    text.remove_prefix(fraction);
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && count_digits(text) == text.size();
  }
  return text.empty();
}

}  // namespace

Decimal to_decimal(std::string_view text) noexcept {
  Decimal result;
  result.negative = text.starts_with('-');
  if (result.negative) text.remove_prefix(1);
  auto const mantissa = text.substr(0, text.find_first_of("eE"));
  auto const exponent =
      mantissa.size() < text.size() ? read_exponent(text.substr(mantissa.size() + 1)) : 0;

  auto const first = mantissa.find_first_not_of("0.");
  if (first == std::string_view::npos) return {};
  auto const last = mantissa.find_last_not_of("0.");
  result.digits = mantissa.substr(first, last - first + 1);

  auto const point = std::min(mantissa.find('.'), mantissa.size());
  bool const point_inside = first < point && point < last;
  result.count = result.digits.size() - (point_inside ? 1 : 0);
  // Digits between the first one that counts and the point; negative behind it.
  auto const before_point = first < point ? static_cast<std::int64_t>(point - first)
                                          : -static_cast<std::int64_t>(first - point - 1);
  result.magnitude = before_point + exponent;
  return result;
}

Decimal to_decimal(Value number, IntegerText& room) noexcept {
  if (!number.is_int64()) return to_decimal(number.as_number_text());
  auto const end = std::to_chars(room.data(), room.data() + room.size(), number.as_int64()).ptr;
  return to_decimal({room.data(), static_cast<std::size_t>(end - room.data())});
}

bool is_number(std::string_view text) noexcept {
  if (text.size() > kLongestNumber || !has_number_grammar(text)) return false;
  auto const decimal = to_decimal(text);
  return decimal.is_zero() ||
         (decimal.magnitude <= kLargestMagnitude && decimal.magnitude >= -kLargestMagnitude);
}

}  // namespace sallyport::rego
