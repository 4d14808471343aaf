// Text to nodes. Bounded in size and depth; every error has a place.
#pragma once

#include "src/rego/ast.hpp"
#include "src/rego/rego.hpp"

#include <string_view>

namespace sallyport::rego {

inline constexpr std::size_t kLongestSource = std::size_t{4} << 20;
inline constexpr int kDeepestTerm = 256;
// Packages and rules make a tree of their parts, which is as deep.
inline constexpr std::size_t kLongestReference = 1024;

// Null with at least one error, or the module. `text` is copied into the arena.
ast::Module* parse_module(std::string_view text, std::uint32_t file, CompileOptions const& options,
                          Arena& arena, Diagnostics& errors);
// A query: literals separated by `;` or new lines.
ast::Body parse_query(std::string_view text, CompileOptions const& options, Arena& arena,
                      Diagnostics& errors);
// One term without variables, as `input_term` of OPA's test cases or `set` literals in a file.
Value parse_ground_term(std::string_view text, Arena& arena, Diagnostics& errors);

}  // namespace sallyport::rego
