// regex.globs_match: whether two simple patterns (characters, '.', [sets], each perhaps with '*' or
// '+') have a text in common. It answers as OPA's library does, also where that misses one: it
// never skips a starred token of one pattern for one of the other that it cannot match ("a*c" and
// "b*c").
#pragma once

#include "src/rego/builtin.hpp"

namespace sallyport::rego::builtins {

Value globs_match(BuiltinCall& call, Operands operands);

}  // namespace sallyport::rego::builtins
