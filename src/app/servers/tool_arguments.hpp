// The arguments of a tool, as they are given on the command line.
#pragma once

#include "src/base/result.hpp"
#include "src/json/value.hpp"

#include <string>
#include <vector>

namespace sallyport::app::servers {

// `whole` is a JSON object, or empty; each of `pairs` is `name=value` and goes on top of it. A value
// is what the schema says of its property: a text where that is a text, else JSON; where the schema
// says nothing, JSON if it is that, else a text. `a.b=1` is the member `b` of `a`, unless there is a
// property `a.b`. Fails with InvalidInput.
Result<json::Object> tool_arguments(std::string const& whole, std::vector<std::string> const& pairs,
                                    json::Object const& input_schema);

}  // namespace sallyport::app::servers
