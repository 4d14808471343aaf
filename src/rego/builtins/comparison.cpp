#include "src/rego/builtins/tables.hpp"

#include <array>

namespace sallyport::rego::builtins {
namespace {

Value equals(BuiltinCall&, Operands operands) {
  return Value::boolean(equal(operands[0], operands[1]));
}

Value differs(BuiltinCall&, Operands operands) {
  return Value::boolean(!equal(operands[0], operands[1]));
}

Value less(BuiltinCall&, Operands operands) {
  return Value::boolean(compare(operands[0], operands[1]) < 0);
}

Value less_or_equal(BuiltinCall&, Operands operands) {
  return Value::boolean(compare(operands[0], operands[1]) <= 0);
}

Value greater(BuiltinCall&, Operands operands) {
  return Value::boolean(compare(operands[0], operands[1]) > 0);
}

Value greater_or_equal(BuiltinCall&, Operands operands) {
  return Value::boolean(compare(operands[0], operands[1]) >= 0);
}

constexpr std::string_view kTwoToBoolean = "any, any -> boolean";

// `=` and `:=` are the language's own; they are here for what asks for all that exists.
constexpr auto kTable = std::to_array<Builtin>({
    {"assign", kTwoToBoolean, equals},
    {"eq", kTwoToBoolean, equals},
    {"equal", kTwoToBoolean, equals},
    {"gt", kTwoToBoolean, greater},
    {"gte", kTwoToBoolean, greater_or_equal},
    {"lt", kTwoToBoolean, less},
    {"lte", kTwoToBoolean, less_or_equal},
    {"neq", kTwoToBoolean, differs},
});

}  // namespace

BuiltinTable comparison() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
