#include "src/config/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>
#include <span>

namespace sallyport::config {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// From the largest down: formatting takes the first that divides.
constexpr std::array kDurations{
    Unit{"d", 86'400'000}, Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1000}, Unit{"ms", 1},
};
constexpr std::array kBinarySizes{
    Unit{"GiB", 1ULL << 30U},
    Unit{"MiB", 1ULL << 20U},
    Unit{"KiB", 1ULL << 10U},
};
constexpr std::array kDecimalSizes{
    Unit{"GB", 1'000'000'000}, Unit{"MB", 1'000'000}, Unit{"kB", 1000}, Unit{"B", 1}, Unit{"", 1},
};

constexpr std::string_view kDurationHelp = "must be a duration such as 250ms, 15s, 5m or 1h";
constexpr std::string_view kSizeHelp = "must be a size in bytes such as 100000, 16KiB or 4MiB";
constexpr std::string_view kNumberHelp = "must be a whole number";

Error not_allowed(std::string_view help) {
  return fail(Errc::InvalidInput, std::string{help});
}

std::optional<std::uint64_t> digits(std::string_view text) {
  std::uint64_t value = 0;
  auto const* end = std::to_address(text.end());
  auto const [rest, error] = std::from_chars(std::to_address(text.begin()), end, value);
  if (text.empty() || error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> factor_of(std::span<Unit const> units, std::string_view name) {
  auto const found = std::ranges::find(units, name, &Unit::name);
  if (found == units.end()) return std::nullopt;
  return found->factor;
}

// The number before the unit, times the factor; nothing when it does not fit into `limit`.
std::optional<std::uint64_t> scaled(std::string_view number, std::uint64_t factor,
                                    std::uint64_t limit) {
  auto const value = digits(number);
  if (!value || *value > limit / factor) return std::nullopt;
  return *value * factor;
}

std::size_t unit_start(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  if (text == "0") return std::chrono::milliseconds{0};
  auto const start = unit_start(text);
  auto const factor = factor_of(kDurations, text.substr(start));
  if (!factor) return not_allowed(kDurationHelp);
  // A year's worth of headroom for whoever adds it to a time point.
  constexpr std::uint64_t kLongest = std::numeric_limits<std::int64_t>::max() / 4'000'000;
  auto const value = scaled(text.substr(0, start), *factor, kLongest);
  if (!value) return not_allowed(kDurationHelp);
  return std::chrono::milliseconds{static_cast<std::int64_t>(*value)};
}

Result<std::uint64_t> parse_size(std::string_view text) {
  auto const start = unit_start(text);
  auto const unit = text.substr(start);
  auto factor = factor_of(kBinarySizes, unit);
  if (!factor) factor = factor_of(kDecimalSizes, unit);
  if (!factor) return not_allowed(kSizeHelp);
  auto const value =
      scaled(text.substr(0, start), *factor, std::numeric_limits<std::int64_t>::max());
  if (!value) return not_allowed(kSizeHelp);
  return *value;
}

Result<std::uint64_t> parse_number(std::string_view text) {
  auto const value = digits(text);
  if (!value) return not_allowed(kNumberHelp);
  return *value;
}

Result<bool> parse_switch(std::string_view text) {
  std::string lower{text};
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "true" || lower == "yes" || lower == "on" || lower == "1") return true;
  if (lower == "false" || lower == "no" || lower == "off" || lower == "0") return false;
  return not_allowed("must be true or false");
}

std::string format_duration(std::chrono::milliseconds duration) {
  auto const count = static_cast<std::uint64_t>(duration.count());
  if (count == 0) return "0s";
  auto const unit =
      std::ranges::find_if(kDurations, [&](Unit const& u) { return count % u.factor == 0; });
  return fmt::format("{}{}", count / unit->factor, unit->name);
}

std::string format_size(std::uint64_t bytes) {
  auto const unit = std::ranges::find_if(
      kBinarySizes, [&](Unit const& u) { return bytes != 0 && bytes % u.factor == 0; });
  if (unit == kBinarySizes.end()) return fmt::format("{}", bytes);
  return fmt::format("{}{}", bytes / unit->factor, unit->name);
}

}  // namespace sallyport::config
