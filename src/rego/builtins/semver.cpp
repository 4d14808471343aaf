#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/tables.hpp"
#include "src/rego/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace sallyport::rego::builtins {
namespace {

struct Version {
  std::array<std::int64_t, 3> numbers{};
  std::string_view before_release;  // of "1.0.0-rc.1": "rc.1"
};

struct Cut {
  std::string_view before;
  std::string_view after;
};

Cut cut(std::string_view text, char separator) {
  auto const at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

constexpr bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

constexpr bool is_identifier_byte(char byte) {
  return is_digit(byte) || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         byte == '-';
}

// "rc.1": words of letters, digits and hyphens between points; or nothing at all.
bool are_identifiers(std::string_view text) {
  if (text.empty()) return true;
  if (text.front() == '.' || text.back() == '.' || text.find("..") != std::string_view::npos) {
    return false;
  }
  return std::ranges::all_of(text,
                             [](char byte) { return byte == '.' || is_identifier_byte(byte); });
}

std::optional<std::int64_t> read_int64(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  auto const* const end = text.data() + text.size();
  auto const read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return value;
}

std::optional<Version> parse(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  auto const [release, metadata] = cut(text, '+');
  auto [numbers, before_release] = cut(release, '-');
  if (!are_identifiers(metadata) || !are_identifiers(before_release)) return std::nullopt;
  if (std::ranges::count(numbers, '.') != 2) return std::nullopt;
  Version version{.before_release = before_release};
  for (auto& number : version.numbers) {
    auto const [first, rest] = cut(numbers, '.');
    auto const value = read_int64(first);
    if (!value) return std::nullopt;
    number = *value;
    numbers = rest;
  }
  return version;
}

std::strong_ordering compare_words(std::string_view left, std::string_view right) {
  auto const is_number = [](std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, is_digit);
  };
  if (is_number(left) != is_number(right)) {
    return is_number(left) ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  if (!is_number(left)) return left <=> right;
  // What does not fit counts as the largest that does, as in OPA.
  auto const value = [](std::string_view word) {
    return read_int64(word).value_or(std::numeric_limits<std::int64_t>::max());
  };
  return value(left) <=> value(right);
}

std::strong_ordering compare_before_release(std::string_view left, std::string_view right) {
  if (left == right) return std::strong_ordering::equal;
  // The one without is the release, and so the later one.
  if (left.empty()) return std::strong_ordering::greater;
  if (right.empty()) return std::strong_ordering::less;
  while (!left.empty() && !right.empty()) {
    auto const ours = cut(left, '.');
    auto const theirs = cut(right, '.');
    if (auto const order = compare_words(ours.before, theirs.before); order != 0) return order;
    left = ours.after;
    right = theirs.after;
  }
  return left.size() <=> right.size();
}

std::strong_ordering compare(Version const& left, Version const& right) {
  auto const order = left.numbers <=> right.numbers;
  return order != 0 ? order : compare_before_release(left.before_release, right.before_release);
}

Value compare_versions(BuiltinCall& call, Operands operands) {
  std::array<Version, 2> versions;
  std::array<std::string_view, 2> texts;
  if (!read_string(call, operands, 1, texts[0]) || !read_string(call, operands, 2, texts[1])) {
    return {};
  }
  if (!charge_bytes(call, texts[0].size() + texts[1].size())) return stopped(call);
  for (std::size_t at = 0; at < versions.size(); ++at) {
    auto const version = parse(texts[at]);
    if (!version) {
      return call.fail("operand " + std::to_string(at + 1) + ": string " + to_rego(operands[at]) +
                       " is not a valid SemVer");
    }
    versions[at] = *version;
  }
  auto const order = compare(versions[0], versions[1]);
  return Value::integer(order < 0 ? -1 : order > 0 ? 1 : 0);
}

Value is_valid(BuiltinCall& call, Operands operands) {
  auto const value = operands[0];
  if (!value.is(Kind::String)) return Value::boolean(false);
  if (!charge_bytes(call, value.size())) return stopped(call);
  return Value::boolean(parse(value.as_string()).has_value());
}

constexpr auto kTable = std::to_array<Builtin>({
    {"semver.compare", "string, string -> number", compare_versions},
    {"semver.is_valid", "any -> boolean", is_valid},
});

}  // namespace

BuiltinTable semver() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
