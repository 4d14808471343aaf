// Static types of rules and expressions: refuses what can only ever be undefined.
#pragma once

#include "src/rego/check/context.hpp"

#include <memory>

namespace sallyport::rego {

struct RuleTypes;

namespace check {

// `rules`: each after those that it uses.
std::shared_ptr<RuleTypes const> check_types(Context& context, std::vector<Rule*> const& rules);
void check_types(Context& context, Body& query, RuleTypes const* of_rules);

}  // namespace check
}  // namespace sallyport::rego
