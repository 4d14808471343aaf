#include "src/app/rego_tools/limits.hpp"

#include "src/config/units.hpp"

#include <limits>

namespace sallyport::app::rego_tools {

Result<rego::Limits> generous_limits(std::string const& timeout) {
  auto const time = config::parse_duration(timeout);
  if (!time) return fail(Errc::InvalidInput, "--timeout: " + time.error().message);
  if (time->count() <= 0) return fail(Errc::InvalidInput, "--timeout: must be more than 0");
  return rego::Limits{.steps = std::numeric_limits<std::uint64_t>::max(),
                      .time = *time,
                      .memory = std::size_t{1} << 30};
}

}  // namespace sallyport::app::rego_tools
