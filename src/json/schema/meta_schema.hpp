// The meta-schema of JSON Schema 2020-12 and its vocabularies, so that a `$ref` to them needs no
// network.
#pragma once

#include "src/json/value.hpp"

#include <string_view>

namespace sallyport::json {

constexpr std::string_view kDialect202012 = "https://json-schema.org/draft/2020-12/schema";

// The document with that URI (without fragment), or nullptr. Lives as long as the process.
Value const* find_meta_schema(std::string_view uri);

}  // namespace sallyport::json
