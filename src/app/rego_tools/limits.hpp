// What an evaluation on the command line may use.
#pragma once

#include "src/base/result.hpp"
#include "src/rego/budget.hpp"

#include <string>

namespace sallyport::app::rego_tools {

// More than a call is given, since somebody waits and can press Ctrl+C; the time is what
// `--timeout` says ("5s").
Result<rego::Limits> generous_limits(std::string const& timeout);

}  // namespace sallyport::app::rego_tools
