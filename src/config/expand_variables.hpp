// `${NAME}` in a text, as the files of other programs have it.
#pragma once

#include "src/config/load.hpp"

#include <string>
#include <string_view>

namespace sallyport::config {

// `${NAME}` and `${env:NAME}` are the variable, `${NAME:-text}` the text where it is not set or
// empty. A `$` with anything else behind it stays. Fails with InvalidInput where a variable is not
// set, or what stands in the braces is not one; the message has nothing else of the text.
Result<std::string> expand_variables(std::string_view text, Variables const& variables);

}  // namespace sallyport::config
