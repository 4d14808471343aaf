// What changed between two texts, line by line.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::app::rego_tools {

// In the unified form, with three lines around each change; empty for equal texts.
std::string line_diff(std::string_view before, std::string_view after, std::string_view name);

}  // namespace sallyport::app::rego_tools
