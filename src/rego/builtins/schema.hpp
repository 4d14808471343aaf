// JSON Schema as json.match_schema and json.verify_schema of OPA have it: drafts 4 to 7 taken
// together, errors in the words of the library that OPA uses. Values are read as they are; nothing
// is fetched.
//
// src/json/schema.hpp is the validator of the rest of the gateway: a later draft, and one error
// instead of all of them.
#pragma once

#include "src/rego/builtin.hpp"

#include <string>
#include <vector>

namespace sallyport::rego::builtins {

// Schemas nest through what refers to them as well.
inline constexpr int kDeepestSchema = 512;

// What is wrong with the schema itself; empty: nothing. A halt is recorded in the call.
std::string check_schema(BuiltinCall& call, Value schema);

struct SchemaError {
  std::string type;         // "invalid_type"
  std::string field;        // "a.b", "(Root)"
  std::string description;  // "Invalid type. Expected: string, given: integer"
};

// `schema` has passed check_schema. A halt is recorded in the call.
std::vector<SchemaError> validate(BuiltinCall& call, Value schema, Value document);

// What a "$ref" within `root` names; undefined, with the reason, where there is no such thing.
Value find_reference(Value root, std::string_view reference, std::string& error);

}  // namespace sallyport::rego::builtins
