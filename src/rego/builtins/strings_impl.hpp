// The string built-ins that have a file of their own; strings.cpp has their table.
#pragma once

#include "src/rego/builtin.hpp"

namespace sallyport::rego::builtins {

// strings_case.cpp: rune by rune as Go does, so that "ß" stays "ß".
Value lower(BuiltinCall& call, Operands operands);
Value upper(BuiltinCall& call, Operands operands);

// strings_split.cpp
Value split(BuiltinCall& call, Operands operands);
Value split_n(BuiltinCall& call, Operands operands);

// strings_replace.cpp
Value replace(BuiltinCall& call, Operands operands);
Value replace_n(BuiltinCall& call, Operands operands);

// strings_trim.cpp
Value trim(BuiltinCall& call, Operands operands);
Value trim_left(BuiltinCall& call, Operands operands);
Value trim_right(BuiltinCall& call, Operands operands);
Value trim_prefix(BuiltinCall& call, Operands operands);
Value trim_suffix(BuiltinCall& call, Operands operands);
Value trim_space(BuiltinCall& call, Operands operands);

// strings_match.cpp
Value any_prefix_match(BuiltinCall& call, Operands operands);
Value any_suffix_match(BuiltinCall& call, Operands operands);

}  // namespace sallyport::rego::builtins
