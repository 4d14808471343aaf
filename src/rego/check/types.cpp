#include "src/rego/check/types.hpp"

namespace sallyport::rego {

struct RuleTypes {};

namespace check {

std::shared_ptr<RuleTypes const> check_types(Context& /*context*/,
                                             std::vector<Rule*> const& /*rules*/) {
  return std::make_shared<RuleTypes const>();
}

void check_types(Context& /*context*/, Body& /*query*/, RuleTypes const* /*of_rules*/) {}

}  // namespace check
}  // namespace sallyport::rego
