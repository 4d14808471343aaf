// The built-ins json.… whose bodies are in files of their own.
#pragma once

#include "src/rego/builtin.hpp"

namespace sallyport::rego::builtins {

Value json_filter(BuiltinCall& call, Operands operands);
Value json_remove(BuiltinCall& call, Operands operands);
Value json_patch(BuiltinCall& call, Operands operands);

}  // namespace sallyport::rego::builtins
