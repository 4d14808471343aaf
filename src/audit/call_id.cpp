#include "src/audit/call_id.hpp"

#include "src/base/random_id.hpp"

#include <charconv>
#include <cstdint>

namespace sallyport::audit {
namespace {

constexpr std::size_t kTimeDigits = 12;
constexpr std::size_t kRandomBytes = 10;

}  // namespace

std::string new_call_id(std::chrono::system_clock::time_point now) {
  auto const since = std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch());
  auto left = static_cast<unsigned long long>(since.count());
  std::string id(kTimeDigits, '0');
  for (auto digit = id.rbegin(); digit != id.rend(); ++digit, left /= 16) {
    *digit = "0123456789abcdef"[left % 16];
  }
  return id + random_id(kRandomBytes);
}

std::optional<std::chrono::system_clock::time_point> time_of_call_id(std::string_view id) {
  constexpr std::int64_t kYear2200 = 7'258'118'400'000;  // the clock's range ends before 48 bits do
  std::int64_t milliseconds = 0;
  if (id.size() != kTimeDigits + 2 * kRandomBytes) return std::nullopt;
  auto const* const end = id.data() + kTimeDigits;
  auto const read = std::from_chars(id.data(), end, milliseconds, 16);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  if (milliseconds < 0 || milliseconds > kYear2200) return std::nullopt;
  return std::chrono::system_clock::time_point{std::chrono::milliseconds{milliseconds}};
}

}  // namespace sallyport::audit
