// Several base documents as one.
#pragma once

#include "src/base/result.hpp"
#include "src/rego/build.hpp"

namespace sallyport::app::rego_tools {

// Both objects and all objects in them; undefined adds nothing. Fails where both have something
// else in one place, with the place as its message: "a.b".
Result<rego::Value> merge(rego::Value left, rego::Value right, rego::Arena& arena);

}  // namespace sallyport::app::rego_tools
