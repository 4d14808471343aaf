// What a body needs of values that are known before it runs, for the rule index.
#pragma once

#include "src/rego/ast.hpp"
#include "src/rego/plan/rule_index.hpp"

#include <vector>

namespace sallyport::rego::plan {

std::vector<Condition> conditions_of(ast::Rule const& rule);

}  // namespace sallyport::rego::plan
