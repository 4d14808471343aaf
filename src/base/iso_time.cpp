#include "src/base/iso_time.hpp"

#include <fmt/format.h>

#include <ctime>

namespace sallyport {

std::string iso_time(std::chrono::system_clock::time_point time) {
  auto const seconds = std::chrono::floor<std::chrono::seconds>(time);
  auto const millis = std::chrono::duration_cast<std::chrono::milliseconds>(time - seconds).count();
  std::time_t const plain = std::chrono::system_clock::to_time_t(seconds);
  std::tm parts{};
  gmtime_r(&plain, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     millis);
}

}  // namespace sallyport
