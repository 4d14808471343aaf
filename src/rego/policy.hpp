// What compile() and compile_query() make. Immutable: any number of threads read it.
#pragma once

#include "src/rego/checked.hpp"
#include "src/rego/plan/planner.hpp"
#include "src/rego/rego.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace sallyport::rego {

class Policy {
 public:
  Policy() = default;
  Policy(Policy const&) = delete;
  Policy& operator=(Policy const&) = delete;

  std::vector<Source> const& sources() const noexcept { return sources_; }
  Checked const& checked() const noexcept { return checked_; }
  Value base() const noexcept { return base_; }
  plan::PlannedModules const& planned() const noexcept { return planned_; }
  CompileOptions const& options() const noexcept { return options_; }
  // All documents that rules define: "data.mcp.fetch.allow".
  std::vector<std::string> rule_names() const;

 private:
  friend class Compiler;

  Arena arena_;  // of everything below
  std::vector<Source> sources_;
  CompileOptions options_;
  Value base_;
  Checked checked_;
  plan::PlannedModules planned_;
};

class Query {
 public:
  Query() = default;
  Query(Query const&) = delete;
  Query& operator=(Query const&) = delete;

  plan::Program const& program() const noexcept {
    return own_modules_ ? own_modules_->program : policy_->planned().program;
  }
  plan::QueryPlan const& plan() const noexcept { return plan_; }
  std::shared_ptr<Policy const> const& policy() const noexcept { return policy_; }

 private:
  friend class Compiler;

  std::shared_ptr<Policy const> policy_;
  Arena arena_;
  // The modules planned anew, for a query whose `with` replaces what the modules never do.
  std::optional<plan::PlannedModules> own_modules_;
  plan::QueryPlan plan_;
};

}  // namespace sallyport::rego
