// Integers of any size. Costs a second to compile: include it where int64 does not do.
#pragma once

#include "src/rego/value.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <optional>

namespace sallyport::rego {

using BigInteger = boost::multiprecision::cpp_int;

// Exact. Nullopt where the number has a fraction.
std::optional<BigInteger> to_big_integer(Value number);
// Undefined where it has more digits than a number may have.
Value make_number(BigInteger const& value, Arena& arena);

}  // namespace sallyport::rego
