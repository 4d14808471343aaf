// Paths into documents, as json.filter, json.remove and json.patch take them: "a/b/0" or ["a",
// "b"].
#pragma once

#include "src/rego/builtin.hpp"

#include <string>
#include <vector>

namespace sallyport::rego::builtins {

using JsonPath = std::vector<Value>;

// Texts are made in the arena of the call. Records OPA's words where `path` is neither a string nor
// an array, and returns false.
bool read_json_path(BuiltinCall& call, Value path, JsonPath& out);

}  // namespace sallyport::rego::builtins
