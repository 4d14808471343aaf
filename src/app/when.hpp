// Times as flags name them.
#pragma once

#include "src/audit/time_text.hpp"

#include <optional>
#include <string>

namespace sallyport::app {

// "1h" ago, or a point in time; nothing for an empty text. Fails with InvalidInput, naming `flag`.
Result<std::optional<audit::Time>> parse_when(std::string const& text, char const* flag);

}  // namespace sallyport::app
