// The schemas of `http_request`: the contract with the fetch() wrapper in the app.
#pragma once

#include "src/json/value.hpp"

namespace sallyport::tools {

json::Object http_request_input_schema();
json::Object http_request_output_schema();

}  // namespace sallyport::tools
