// The `format` keyword of JSON Schema.
#pragma once

#include <string_view>

namespace sallyport::rego::builtins {

// True for formats that are not known, and for those that only a careful reader could tell apart.
bool has_format(std::string_view format, std::string_view text);

}  // namespace sallyport::rego::builtins
