#include "src/rego/builtins/yaml_scalar.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

namespace sallyport::rego::builtins {
namespace {

using Kind = YamlScalar::Kind;

constexpr std::string_view kTrue[] = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                      "True", "TRUE", "on",  "On",  "ON"};
constexpr std::string_view kFalse[] = {"n",     "N",     "no",  "No",  "NO", "false",
                                       "False", "FALSE", "off", "Off", "OFF"};
constexpr std::string_view kNull[] = {"", "~", "null", "Null", "NULL"};
constexpr std::string_view kNotANumber[] = {".nan", ".NaN", ".NAN"};
constexpr std::string_view kInfinity[] = {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"};
constexpr std::string_view kMinusInfinity[] = {"-.inf", "-.Inf", "-.INF"};

template <std::size_t kSize>
bool is_one_of(std::string_view text, std::string_view const (&words)[kSize]) {
  return std::ranges::find(words, text) != std::end(words);
}

bool matches(re2::RE2 const& pattern, std::string_view text) {
  return re2::RE2::FullMatch({text.data(), text.size()}, pattern);
}

bool is_float(std::string_view text) {
  static re2::RE2 const pattern{R"([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?)"};
  return matches(pattern, text);
}

// 1:30:00 was a number in YAML 1.1.
bool is_base_60(std::string_view text) {
  static re2::RE2 const pattern{R"([-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?)"};
  return matches(pattern, text);
}

bool is_timestamp(std::string_view text) {
  static re2::RE2 const pattern{
      R"([0-9]{4}-(0?[1-9]|1[0-2])-(0?[1-9]|[12][0-9]|3[01]))"
      R"(([Tt]([01]?[0-9]|2[0-3]):[0-5]?[0-9]:[0-5]?[0-9](\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2}))"
      R"(| ([01]?[0-9]|2[0-3]):[0-5]?[0-9]:[0-5]?[0-9](\.[0-9]+)?)?)"};
  return matches(pattern, text);
}

// As Go's ParseInt with base 0: 0x1F, 0b11, 0o17, 017.
bool parse_integer(std::string_view text, YamlScalar& out) {
  auto const negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text.front() == '0') {
    char const mark = static_cast<char>(text[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    text.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  std::uint64_t natural = 0;
  auto const* const end = text.data() + text.size();
  auto const read = std::from_chars(text.data(), end, natural, base);
  if (text.empty() || read.ec != std::errc{} || read.ptr != end) return false;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (natural > kMost + (negative ? 1 : 0)) {
    if (negative) return false;
    out = {.kind = Kind::Unsigned, .natural = natural};
    return true;
  }
  out = {.kind = Kind::Integer,
         .integer = static_cast<std::int64_t>(negative ? ~natural + 1 : natural)};
  return true;
}

bool parse_float(std::string_view text, YamlScalar& out) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double real = 0;
  auto const read = std::from_chars(text.data(), text.data() + text.size(), real);
  if (read.ec == std::errc::result_out_of_range) return false;
  out = {.kind = Kind::Float, .real = real};
  return true;
}

YamlScalar resolve_number(std::string_view plain) {
  YamlScalar result;
  if (is_timestamp(plain)) return result;
  std::string digits{plain};
  std::erase(digits, '_');
  if (parse_integer(digits, result)) return result;
  if (is_float(digits)) parse_float(digits, result);
  return result;
}

}  // namespace

YamlScalar resolve_yaml(std::string_view plain) {
  constexpr auto kInfinite = std::numeric_limits<double>::infinity();
  if (is_one_of(plain, kNull)) return {.kind = Kind::Null};
  if (is_one_of(plain, kTrue)) return {.kind = Kind::Boolean, .boolean = true};
  if (is_one_of(plain, kFalse)) return {.kind = Kind::Boolean, .boolean = false};
  if (plain == "<<") return {.kind = Kind::Merge};
  if (is_one_of(plain, kNotANumber)) {
    return {.kind = Kind::Float, .real = std::numeric_limits<double>::quiet_NaN()};
  }
  if (is_one_of(plain, kInfinity)) return {.kind = Kind::Float, .real = kInfinite};
  if (is_one_of(plain, kMinusInfinity)) return {.kind = Kind::Float, .real = -kInfinite};
  // Longer than this is no number, and the patterns below need not look.
  constexpr std::size_t kLongest = 1024;
  if (plain.size() > kLongest) return {};
  char const first = plain.front();
  if (first == '.') {
    YamlScalar result;
    if (is_float(plain)) parse_float(plain, result);
    return result;
  }
  if (first != '+' && first != '-' && (first < '0' || first > '9')) return {};
  return resolve_number(plain);
}

bool is_plain_yaml_text(std::string_view text) {
  if (resolve_yaml(text).kind != Kind::Text) return false;
  return text.size() > 1024 || (!is_base_60(text) && !is_timestamp(text));
}

}  // namespace sallyport::rego::builtins
