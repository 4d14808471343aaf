// Text that a model reads and a person does not see.
#pragma once

#include "src/json/value.hpp"

#include <string>
#include <vector>

namespace sallyport::upstream {

// What is hidden in the texts of a definition, keys included: for each kind where it first stands,
// as in "description: tag characters (U+E0041)". Empty: nothing.
std::vector<std::string> hidden_text(json::Object const& definition);

}  // namespace sallyport::upstream
