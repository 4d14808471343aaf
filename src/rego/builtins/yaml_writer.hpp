// Values as YAML, in the style of the Go library that OPA uses: keys sorted with their numbers
// compared as numbers, lists not indented below their key, quotes only where they are needed, lines
// folded after 80 columns.
#pragma once

#include "src/rego/builtins/operands.hpp"

namespace sallyport::rego::builtins {

void write_yaml(Value value, TextBuilder& out);

}  // namespace sallyport::rego::builtins
