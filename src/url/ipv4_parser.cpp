#include "src/url/ipv4_parser.hpp"

#include "src/url/ascii.hpp"

#include <algorithm>
#include <array>

namespace sallyport::url {
namespace {

constexpr std::uint64_t kTooLarge = std::uint64_t{1} << 32U;

// Numbers beyond 32 bits are all kTooLarge.
std::optional<std::uint64_t> parse_number(std::string_view text) noexcept {
  if (text.empty()) return std::nullopt;
  unsigned base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() >= 2 && text.front() == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  std::uint64_t value = 0;
  for (char const c : text) {
    auto const digit = hex_value(c);
    if (digit < 0 || digit >= static_cast<int>(base)) return std::nullopt;
    value = std::min(value * base + static_cast<unsigned>(digit), kTooLarge);
  }
  return value;
}

std::string_view without_final_dot(std::string_view domain) noexcept {
  if (domain.size() > 1 && domain.ends_with('.')) domain.remove_suffix(1);
  return domain;
}

}  // namespace

bool ends_in_a_number(std::string_view domain) noexcept {
  domain = without_final_dot(domain);
  auto const last = domain.substr(domain.rfind('.') + 1);
  if (last.empty() || !is_digit(last.front())) return false;
  return std::ranges::all_of(last, is_digit) || parse_number(last).has_value();
}

std::optional<IpAddress> parse_url_ipv4(std::string_view domain) noexcept {
  domain = without_final_dot(domain);
  std::array<std::uint64_t, 4> numbers{};
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    if (count == numbers.size()) return std::nullopt;
    auto const dot = domain.find('.');
    auto const number = parse_number(domain.substr(0, dot));
    if (!number) return std::nullopt;
    numbers[count] = *number;
    more = dot != std::string_view::npos;
    if (more) domain.remove_prefix(dot + 1);
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    if (numbers[i] > 255) return std::nullopt;
    value |= numbers[i] << (8 * (3 - i));
  }
  auto const last = numbers[count - 1];
  if (last >= std::uint64_t{1} << (8 * (5 - count))) return std::nullopt;
  return IpAddress::v4(static_cast<std::uint32_t>(value | last));
}

}  // namespace sallyport::url
