// Whether two trees mean the same: places, parentheses and spellings do not count.
#pragma once

#include "src/rego/ast.hpp"

namespace sallyport::rego {

bool same_tree(ast::Module const& left, ast::Module const& right);

}  // namespace sallyport::rego
