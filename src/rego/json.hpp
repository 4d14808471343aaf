// JSON text to values and back. Numbers keep their text.
#pragma once

#include "src/base/result.hpp"
#include "src/rego/value.hpp"

#include <string>
#include <string_view>

namespace sallyport::rego {

inline constexpr int kDeepestJson = 256;

// Everything is copied into the arena. Of equal keys the last wins. Fails with InvalidInput, naming
// line and column.
Result<Value> parse_json(std::string_view text, Arena& arena);

// Sets become arrays in their order; keys that are not strings become their own JSON text, as OPA
// does. Undefined is written as nothing.
void write_json(Value value, std::string& out);
std::string to_json(Value value);

// As Rego would write it: sets in braces, `set()` for the empty one.
std::string to_rego(Value value);

}  // namespace sallyport::rego
