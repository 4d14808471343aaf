// Digits of numbers the way Go's strconv and math/big write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::rego::builtins {

// strconv.FormatFloat(value, verb, precision, 64), with a sign always. A negative precision asks
// for as many digits as it takes to tell the number from others. `verb` is one of eEfFgGxXb.
std::string format_float(double value, char verb, int precision);

// Of an unsigned number. `base` is 2, 8, 10 or 16.
std::string digits_of(std::uint64_t value, unsigned base, bool upper_case = false);
// Of the decimal digits of an integer, without sign.
std::string digits_of(std::string_view decimal, unsigned base, bool upper_case = false);

}  // namespace sallyport::rego::builtins
