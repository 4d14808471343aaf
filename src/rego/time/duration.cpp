#include "src/rego/time/duration.hpp"

#include "src/rego/time/layout.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace sallyport::rego::time {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 63U;

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 8> kUnits{{
    {"ns", 1},
    {"us", 1'000},
    {"\u00B5s", 1'000},  // the micro sign
    {"\u03BCs", 1'000},  // the Greek letter
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
    {"h", 3'600'000'000'000},
}};

std::uint64_t unit_of(std::string_view name) noexcept {
  for (auto const& [known, nanoseconds] : kUnits) {
    if (known == name) return nanoseconds;
  }
  return 0;
}

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

ParsedDuration invalid(std::string_view text) {
  return {.problem = "time: invalid duration " + quote(text)};
}

// Nothing where it does not fit.
std::optional<std::uint64_t> leading_integer(std::string_view& rest) noexcept {
  std::uint64_t value = 0;
  while (!rest.empty() && is_digit(rest.front())) {
    if (value > kMost / 10) return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(rest.front() - '0');
    if (value > kMost) return std::nullopt;
    rest.remove_prefix(1);
  }
  return value;
}

struct Fraction {
  std::uint64_t value{0};
  double scale{1};
};

// Digits beyond what fits do not count.
Fraction leading_fraction(std::string_view& rest) noexcept {
  Fraction fraction;
  bool is_full = false;
  for (; !rest.empty() && is_digit(rest.front()); rest.remove_prefix(1)) {
    if (is_full) continue;
    auto const digit = static_cast<std::uint64_t>(rest.front() - '0');
    if (fraction.value > (kMost - 1) / 10 || fraction.value * 10 + digit > kMost) {
      is_full = true;
      continue;
    }
    fraction.value = fraction.value * 10 + digit;
    fraction.scale *= 10;
  }
  return fraction;
}

ParsedDuration parse_standard(std::string_view const text) {
  auto rest = text;
  auto const is_negative = rest.starts_with('-');
  if (is_negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return {};
  if (rest.empty()) return invalid(text);
  std::uint64_t total = 0;
  while (!rest.empty()) {
    auto const size_before = rest.size();
    auto value = leading_integer(rest);
    if (!value) return invalid(text);
    bool has_digits = rest.size() != size_before;
    Fraction fraction;
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      has_digits = has_digits || (!rest.empty() && is_digit(rest.front()));
      fraction = leading_fraction(rest);
    }
    if (!has_digits) return invalid(text);
    auto const name = rest.substr(0, rest.find_first_of(".0123456789"));
    if (name.empty()) return {.problem = "time: missing unit in duration " + quote(text)};
    rest.remove_prefix(name.size());
    auto const unit = unit_of(name);
    if (unit == 0) {
      return {.problem = "time: unknown unit " + quote(name) + " in duration " + quote(text)};
    }
    if (*value > kMost / unit) return invalid(text);
    *value *= unit;
    if (fraction.value > 0) {
      *value += static_cast<std::uint64_t>(static_cast<double>(fraction.value) *
                                           (static_cast<double>(unit) / fraction.scale));
      if (*value > kMost) return invalid(text);
    }
    total += *value;
    if (total > kMost) return invalid(text);
  }
  if (total == kMost && !is_negative) return invalid(text);
  return {.nanoseconds = static_cast<std::int64_t>(is_negative ? 0 - total : total)};
}

int hours_of(std::string_view unit) noexcept {
  if (unit == "d") return 24;
  if (unit == "w") return 7 * 24;
  return unit == "y" ? 365 * 24 : 0;
}

std::string_view take_unit(std::string_view& rest) noexcept {
  std::size_t length = 0;
  for (std::string_view const known : {"ms", "us", "\u00B5s", "ns"}) {
    if (rest.starts_with(known)) {
      length = known.size();
      break;
    }
  }
  if (length == 0 && !rest.empty() && rest.front() >= 'a' && rest.front() <= 'z') length = 1;
  auto const unit = rest.substr(0, length);
  rest.remove_prefix(length);
  return unit;
}

// In hours, written so that it reads back as the same number.
std::optional<std::string> to_hours(std::string_view digits, int hours_per_unit) {
  double value = 0;
  auto const* const end = digits.data() + digits.size();
  auto const read = std::from_chars(digits.data(), end, value, std::chars_format::fixed);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  auto const hours = value * hours_per_unit;
  if (!std::isfinite(hours)) return std::nullopt;
  std::array<char, 400> buffer{};
  auto const written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), hours, std::chars_format::fixed);
  if (written.ec != std::errc{}) return std::nullopt;
  return std::string{buffer.data(), written.ptr} + 'h';
}

// The same duration without days, weeks and years.
std::optional<std::string> rewrite(std::string_view rest) {
  std::string out;
  if (rest.starts_with('-') || rest.starts_with('+')) {
    out += rest.front();
    rest.remove_prefix(1);
  }
  if (rest.empty()) return std::nullopt;
  while (!rest.empty()) {
    auto const digits = rest.substr(0, rest.find_first_not_of("0123456789."));
    rest.remove_prefix(digits.size());
    auto const unit = take_unit(rest);
    if (digits.empty() || unit.empty()) return std::nullopt;
    if (hours_of(unit) == 0) {
      out.append(digits).append(unit);
      continue;
    }
    auto const hours = to_hours(digits, hours_of(unit));
    if (!hours) return std::nullopt;
    out += *hours;
  }
  return out;
}

}  // namespace

ParsedDuration parse_duration(std::string_view text) {
  if (text.find_first_of("dwy") == std::string_view::npos) return parse_standard(text);
  auto const rewritten = rewrite(text);
  if (!rewritten) return invalid(text);
  auto parsed = parse_standard(*rewritten);
  // Errors name what was written, which stands at their end.
  if (!parsed.problem.empty()) {
    parsed.problem.resize(parsed.problem.rfind(' ') + 1);
    parsed.problem += quote(text);
  }
  return parsed;
}

}  // namespace sallyport::rego::time
