// Arithmetic of Rego: int64 where it fits, exact integers of any size, and otherwise floats with a
// mantissa of 64 bits, as OPA computes them (0.1 + 0.2 is 0.3).
#pragma once

#include "src/rego/value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::rego {

// From the text of a JSON number, which is kept where it is not a plain int64. Undefined where the
// text is no number, or its exponent is out of bounds.
Value make_number(std::string_view text, Arena& arena);
Value make_number(long double value, Arena& arena);
Value make_number(std::uint64_t value, Arena& arena);

std::strong_ordering compare_numbers(Value left, Value right) noexcept;
std::uint64_t hash_number(Value number) noexcept;
// Its digits as they are written to JSON.
void append_number(Value number, std::string& out);

bool is_integer(Value number) noexcept;  // 3.0 is
// Undefined (nullopt) where it is no integer or does not fit.
std::optional<std::int64_t> to_int64(Value number) noexcept;
long double to_float(Value number) noexcept;

enum class NumberError : std::uint8_t { None, DivideByZero, ModuloByZero, ModuloOfFloat, TooLarge };
struct NumberResult {
  Value value;  // undefined where there is an error
  NumberError error{NumberError::None};
};

NumberResult add(Value left, Value right, Arena& arena);
NumberResult subtract(Value left, Value right, Arena& arena);
NumberResult multiply(Value left, Value right, Arena& arena);
NumberResult divide(Value left, Value right, Arena& arena);
NumberResult modulo(Value left, Value right, Arena& arena);

}  // namespace sallyport::rego
