#include "src/audit/call_id.hpp"

#include "src/base/random_id.hpp"

namespace sallyport::audit {

std::string new_call_id(std::chrono::system_clock::time_point now) {
  constexpr std::size_t kTimeDigits = 12;
  auto const since = std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch());
  auto left = static_cast<unsigned long long>(since.count());
  std::string id(kTimeDigits, '0');
  for (auto digit = id.rbegin(); digit != id.rend(); ++digit, left /= 16) {
    *digit = "0123456789abcdef"[left % 16];
  }
  return id + random_id(10);
}

}  // namespace sallyport::audit
