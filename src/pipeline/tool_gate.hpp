// What stands before every tool that a script calls, and before all that is asked of other servers
// for somebody: the policy for tools, resources and prompts (`policies.mcp_tools`), and the record.
#pragma once

#include "src/pipeline/road.hpp"
#include "src/policy/evaluator.hpp"

#include <string>

namespace sallyport::pipeline {

class ToolGate {
 public:
  // Both outlive it.
  ToolGate(policy::ToolEvaluator& policy, Road& road) : policy_{policy}, road_{road} {}

  // Whether there is such a policy.
  bool has_policy() const noexcept { return policy_.judges_tools(); }

  // Judges; a call that is denied is on record when this fails with PolicyDenied. Fails also with
  // what the audit log fails with, or with Cancelled. Without a policy everything passes.
  Task<policy::Decision> judge(policy::McpQuery const& query) const;
  // Fails as judge() does, and always: for a "no" that needs no policy.
  Task<policy::Decision> deny(policy::McpQuery const& query, policy::Decision decision) const;
  // The record of a call that passed. Its outcome is not handed out before the receipt says that
  // the record is kept; the call itself may be made meanwhile.
  Result<audit::Receipt> record(policy::McpQuery const& query, policy::Decision decision,
                                Executor loop) const;

 private:
  Task<policy::Decision> decide(policy::McpQuery const& query) const;

  policy::ToolEvaluator& policy_;
  Road& road_;
};

}  // namespace sallyport::pipeline
