#pragma once

#include "src/rego/value.hpp"

#include <string_view>

namespace sallyport::rego::crypto {

// The JSON of Go's url.URL, for the URIs in certificates.
Value uri_value(std::string_view text, Arena& arena);

}  // namespace sallyport::rego::crypto
