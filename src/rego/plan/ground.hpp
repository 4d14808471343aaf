// Values of terms that hold nothing but constants.
#pragma once

#include "src/rego/arena.hpp"
#include "src/rego/ast.hpp"

#include <span>

namespace sallyport::rego::plan {

// An array, set or object of these; of an object keys and values by turns.
Value make_collection(ast::TermKind kind, std::span<Value const> items, Arena& arena);

// Undefined where something in it has to be evaluated first.
Value ground_value(ast::Term const& term, Arena& arena);

}  // namespace sallyport::rego::plan
