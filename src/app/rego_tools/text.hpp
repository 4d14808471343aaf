// How the commands write JSON, errors and durations: as OPA's do.
#pragma once

#include "src/rego/rego.hpp"

#include <chrono>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::app::rego_tools {

// JSON on one line, anew over several with two spaces for each level.
std::string indented(std::string_view json);

// With its quotes.
std::string json_string(std::string_view text);

// {"file":"a.rego","row":1,"col":2}
std::string location_json(std::string_view file, rego::Location const& at);

// {"errors":[…]}
std::string errors_json(rego::Diagnostics const& errors);

// "1 error occurred: …", each with its line and a caret. `query` is where errors without a file
// are.
std::string errors_text(rego::Diagnostics const& errors, std::span<rego::Source const> sources,
                        std::string_view query = {});

// As Go writes it: "1.5ms", "912ns".
std::string duration_text(std::chrono::nanoseconds duration);

}  // namespace sallyport::app::rego_tools
