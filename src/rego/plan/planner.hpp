// From checked modules to a Program.
#pragma once

#include "src/rego/checked.hpp"
#include "src/rego/plan/environment.hpp"
#include "src/rego/plan/program.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::rego::plan {

// Evaluates a rule that depends on nothing: at load, so that it is a constant from then on. Nothing
// where that failed; the rule is then evaluated like any other. The result lives in `arena`.
using Fold =
    std::function<std::optional<Value>(Program const& program, std::uint32_t rule, Arena& arena)>;

struct PlanOptions {
  Value base;                      // lives as long as the program
  std::vector<std::string> files;  // names of the sources, for errors
  bool strict_builtin_errors{false};
  bool instrument{false};
  // What a query replaces beyond what the modules do; may be null.
  ast::Body const* query{nullptr};
  Fold fold;
};

struct PlannedModules {
  Program program;
  Replaceables replaceables;
};

// `arena` holds the constants of the program. Errors are about what the checker lets pass and the
// planner cannot do.
PlannedModules plan_modules(Checked const& checked, PlanOptions const& options, Arena& arena,
                            Diagnostics& errors);

// Whether the query replaces nothing that the modules were not planned for.
bool covers(PlannedModules const& planned, ast::Body const& query);

QueryPlan plan_query(CheckedQuery const& query, PlannedModules const& planned, Arena& arena,
                     Diagnostics& errors);
// The value at a path of constants under `data`.
QueryPlan plan_entry(ast::Term const& reference, PlannedModules const& planned, Arena& arena);

}  // namespace sallyport::rego::plan
