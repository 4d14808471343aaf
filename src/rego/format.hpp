// Policies in one style: that of `opa fmt`.
#pragma once

#include "src/rego/ast.hpp"

#include <string>
#include <string_view>

namespace sallyport::rego {

// The module as parse_module() made it from `source`, written anew: tabs, imports sorted within
// their groups, one blank line between rules, comments where they were. What it writes parses to
// the same tree, and formatting that changes nothing. Parts with comments in unusual places stay as
// they are.
std::string format_module(ast::Module const& module, std::string_view source);

}  // namespace sallyport::rego
