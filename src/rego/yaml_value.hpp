// YAML to values, as the core schema reads it.
#pragma once

#include "src/base/result.hpp"
#include "src/rego/value.hpp"

#include <string>

namespace sallyport::rego {

inline constexpr int kDeepestYaml = 64;

// One document without aliases to itself. Fails with InvalidInput, naming the line.
Result<Value> parse_yaml(std::string const& text, Arena& arena);

}  // namespace sallyport::rego
