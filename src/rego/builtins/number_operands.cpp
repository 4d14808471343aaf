#include "src/rego/builtins/number_operands.hpp"

namespace sallyport::rego::builtins {

bool read_number(BuiltinCall& call, Operands operands, int position, Value& out) {
  out = operand_at(operands, position);
  if (out.is(Kind::Number)) return true;
  call.wrong_type(position, "number", out);
  return false;
}

bool read_integer(BuiltinCall& call, Operands operands, int position, Value& out) {
  out = operand_at(operands, position);
  if (!out.is(Kind::Number)) {
    call.wrong_type(position, "integer", out);
    return false;
  }
  if (is_integer(out)) return true;
  call.wrong_operand(position, "must be integer number but got floating-point number");
  return false;
}

bool read_set(BuiltinCall& call, Operands operands, int position, Value& out) {
  out = operand_at(operands, position);
  if (out.is(Kind::Set)) return true;
  call.wrong_type(position, "set", out);
  return false;
}

Value finish(BuiltinCall& call, NumberResult const& result) {
  switch (result.error) {
    case NumberError::None: return result.value;
    case NumberError::DivideByZero: return call.fail("divide by zero");
    case NumberError::ModuloByZero: return call.fail("modulo by zero");
    case NumberError::ModuloOfFloat: return call.fail("modulo on floating-point number");
    case NumberError::TooLarge: return too_large(call);
  }
  return {};
}

Value too_large(BuiltinCall& call) {
  return call.halt("the number has more digits than are computed with");
}

bool charge_digits(BuiltinCall& call, Value left, Value right) {
  if (left.is_int64() && right.is_int64()) return true;
  // Numbers up to 10^30103 have texts as short as "1e30102".
  auto const digits = [](Value number) {
    return is_integer(number) ? std::uint64_t{number.size()} + 1000 : std::uint64_t{number.size()};
  };
  return call.budget.charge((digits(left) + digits(right)) / 64);
}

}  // namespace sallyport::rego::builtins
