// The encoding built-ins that have a file of their own; encoding.cpp has their table.
#pragma once

#include "src/rego/builtin.hpp"

namespace sallyport::rego::builtins {

// base64.cpp
Value base64_encode(BuiltinCall& call, Operands operands);
Value base64_decode(BuiltinCall& call, Operands operands);
Value base64_is_valid(BuiltinCall& call, Operands operands);
Value base64url_encode(BuiltinCall& call, Operands operands);
Value base64url_encode_no_pad(BuiltinCall& call, Operands operands);
Value base64url_decode(BuiltinCall& call, Operands operands);

// url_query.cpp
Value url_query_encode(BuiltinCall& call, Operands operands);
Value url_query_decode(BuiltinCall& call, Operands operands);
Value url_query_encode_object(BuiltinCall& call, Operands operands);
Value url_query_decode_object(BuiltinCall& call, Operands operands);

// yaml.cpp
Value yaml_marshal(BuiltinCall& call, Operands operands);
Value yaml_unmarshal(BuiltinCall& call, Operands operands);
Value yaml_is_valid(BuiltinCall& call, Operands operands);

}  // namespace sallyport::rego::builtins
