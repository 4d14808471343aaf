#include "src/app/when.hpp"

#include "src/config/units.hpp"

#include <fmt/format.h>

#include <chrono>

namespace sallyport::app {

Result<std::optional<audit::Time>> parse_when(std::string const& text, char const* flag) {
  if (text.empty()) return std::optional<audit::Time>{};
  if (auto const ago = config::parse_duration(text)) {
    return std::optional{std::chrono::system_clock::now() - *ago};
  }
  if (auto const time = audit::parse_time(text)) return std::optional{*time};
  return fail(
      Errc::InvalidInput,
      fmt::format("{}: must be a duration such as 15m, 1h, 7d, or a time such as 2026-07-28 "
                  "or 2026-07-28T12:00:00Z",
                  flag));
}

}  // namespace sallyport::app
