// What stands between the quotes of a string, as the string that it means.
#pragma once

#include "src/rego/arena.hpp"

#include <optional>
#include <string_view>

namespace sallyport::rego {

// JSON's escapes. `text` itself where it has none; nothing where it is not a JSON string, as with a
// control character beside an escape (OPA reads strings without escapes as they are).
std::optional<std::string_view> unescape(std::string_view text, Arena& arena);

// Part of a template: `\{` is a brace. Of the raw kind, that is the only escape.
std::optional<std::string_view> unescape_template(std::string_view text, bool raw, Arena& arena);

}  // namespace sallyport::rego
