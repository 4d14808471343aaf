// io.jwt.decode_verify: the signature and every claim that the constraints name, at once.
#pragma once

#include "src/rego/builtin.hpp"

namespace sallyport::rego::builtins {

Value jwt_decode_verify(BuiltinCall& call, Operands operands);
// The keys of constraints that are constants.
std::unique_ptr<Prepared const> prepare_jwt_decode_verify(Operands constants);

}  // namespace sallyport::rego::builtins
