// What the planners of all bodies of one program share.
#pragma once

#include "src/rego/checked.hpp"
#include "src/rego/plan/program.hpp"

#include <map>
#include <span>
#include <vector>

namespace sallyport::rego::plan {

// What some `with` replaces, anywhere in the modules or in the query that is planned with them.
// Calls of these functions and references to this data ask, each time, what holds for them now.
struct Replaceables {
  std::vector<std::vector<Value>> data;  // paths
  std::map<Builtin const*, std::uint32_t> builtins;
  std::map<std::uint32_t, std::uint32_t> functions;  // by the number of the rule

  std::uint32_t count() const {
    return static_cast<std::uint32_t>(builtins.size() + functions.size());
  }
  // Whether a document at this path could be replaced in whole or in part.
  bool may_replace(std::span<Value const> path) const;
};

struct Environment {
  Program const& program;
  Replaceables const& replaceables;
  Arena& arena;  // of constants
  Diagnostics& errors;
  bool instrument{false};

  // The node at a path of constants; kNone where there is none.
  std::uint32_t node_at(std::span<ast::Term* const> path) const;
  std::uint32_t rule_at(std::span<ast::Term* const> path) const;
};

// Adds what the modules, or a query, replace. The nodes of the program must be there.
void add_replaceables(Checked const& checked, Program const& program, Replaceables& found);
void add_replaceables(ast::Body const& body, Program const& program, Replaceables& found);

// How many operands a built-in takes, from its signature.
std::uint32_t arity_of(Builtin const& builtin);

}  // namespace sallyport::rego::plan
