#include "src/base/assert.hpp"
#include "src/pipeline/limiter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace sallyport::pipeline {
namespace {

struct Unit {
  std::string_view text;
  std::string_view word;
  std::chrono::milliseconds period;
};

constexpr std::array kUnits = {
    Unit{"s", "second", std::chrono::seconds{1}},
    Unit{"min", "minute", std::chrono::minutes{1}},
    Unit{"h", "hour", std::chrono::hours{1}},
    Unit{"day", "day", std::chrono::hours{24}},
};

constexpr std::size_t kMost = 1'000'000'000;

Error no_rate(std::string_view text, std::string_view why) {
  return fail(
      Errc::InvalidInput,
      fmt::format("\"{}\" is no rate: {}. Write for example 100/s, 20/min, 5000/h or 9/day.", text,
                  why));
}

}  // namespace

Result<Rate> Rate::parse(std::string_view text) {
  auto const slash = text.find('/');
  if (slash == std::string_view::npos) return no_rate(text, "there is no slash and unit of time");
  auto const number = text.substr(0, slash);
  auto const unit = text.substr(slash + 1);
  Rate rate;
  auto const* const end = number.data() + number.size();
  auto const parsed = std::from_chars(number.data(), end, rate.count);
  if (number.empty() || parsed.ec == std::errc::invalid_argument || parsed.ptr != end) {
    return no_rate(text, "it does not start with a whole number");
  }
  if (parsed.ec != std::errc{} || rate.count > kMost) {
    return no_rate(text, fmt::format("the number is above {}", kMost));
  }
  if (rate.count == 0) return no_rate(text, "it would allow nothing; leave it out for no limit");
  auto const found = std::ranges::find(kUnits, unit, &Unit::text);
  if (found == kUnits.end()) return no_rate(text, "the unit is not s, min, h or day");
  rate.period = found->period;
  return rate;
}

std::string Rate::to_string() const {
  auto const found = std::ranges::find(kUnits, period, &Unit::period);
  if (found == kUnits.end()) return fmt::format("{} per {} ms", count, period.count());
  return fmt::format("{} per {}", count, found->word);
}

std::string Rate::as_setting() const {
  auto const found = std::ranges::find(kUnits, period, &Unit::period);
  SP_ASSERT(found != kUnits.end(), "a rate of the settings has one of the units");
  return fmt::format("{}/{}", count, found->text);
}

}  // namespace sallyport::pipeline
