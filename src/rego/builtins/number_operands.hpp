// What the built-ins on numbers and sets share.
#pragma once

#include "src/rego/builtins/operands.hpp"
#include "src/rego/number.hpp"

namespace sallyport::rego::builtins {

bool read_number(BuiltinCall& call, Operands operands, int position, Value& out);
// Any integer by its value: 3.0 and 1e30 are. OPA's words for the others.
bool read_integer(BuiltinCall& call, Operands operands, int position, Value& out);
bool read_set(BuiltinCall& call, Operands operands, int position, Value& out);

// The value, or the error in OPA's words. A number that is too large for us ends the evaluation: to
// call it undefined would turn a `deny` into an allow.
Value finish(BuiltinCall& call, NumberResult const& result);
Value too_large(BuiltinCall& call);

// Arithmetic on long numbers costs steps, so that a loop over them ends in time.
bool charge_digits(BuiltinCall& call, Value left, Value right);

Value set_difference(BuiltinCall& call, Value left, Value right);

}  // namespace sallyport::rego::builtins
