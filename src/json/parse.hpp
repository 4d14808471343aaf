// Parses JSON text within limits, with exact numbers.
#pragma once

#include "src/base/result.hpp"
#include "src/json/value.hpp"

#include <cstddef>

namespace sallyport::json {

struct ParseLimits {
  std::size_t depth{128};
};

// Fails with InvalidInput; the message names line and column. Integers that fit 64 bits stay
// integers, every other number is the nearest double; one that overflows a double is refused. Of
// two members with one name the last one counts. Bytes that are not UTF-8 are refused.
Result<Value> parse(std::string_view text, Storage storage = {}, ParseLimits limits = {});

}  // namespace sallyport::json
