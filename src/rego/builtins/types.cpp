#include "src/rego/build.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/tables.hpp"

#include <array>

namespace sallyport::rego::builtins {
namespace {

template <Kind kind>
Value is_kind(BuiltinCall&, Operands operands) {
  return Value::boolean(operands[0].is(kind));
}

template <Kind kind>
Value cast(BuiltinCall& call, Operands operands) {
  return operands[0].is(kind) ? operands[0] : call.wrong_type(1, name_of(kind), operands[0]);
}

Value cast_array(BuiltinCall& call, Operands operands) {
  auto const value = operands[0];
  if (value.is(Kind::Array)) return value;
  if (value.is(Kind::Set)) return Value::array(value.items());
  return call.wrong_type(1, "one of {array, set}", value);
}

Value cast_set(BuiltinCall& call, Operands operands) {
  auto const value = operands[0];
  if (value.is(Kind::Set)) return value;
  if (!value.is(Kind::Array)) return call.wrong_type(1, "one of {array, set}", value);
  if (!call.budget.charge(value.size() / 4)) return stopped(call);
  SetBuilder set{call.arena, value.size()};
  for (auto const item : value.items()) set.add(item);
  return set.finish();
}

Value type_name(BuiltinCall&, Operands operands) {
  return Value::string(name_of(operands[0].kind()));
}

constexpr std::string_view kTest = "any -> boolean";
constexpr auto kOld = Builtin::kDeprecated;

constexpr auto kTable = std::to_array<Builtin>({
    {"cast_array", "any -> array[any]", cast_array, nullptr, kOld},
    {"cast_boolean", "any -> boolean", cast<Kind::Boolean>, nullptr, kOld},
    {"cast_null", "any -> null", cast<Kind::Null>, nullptr, kOld},
    {"cast_object", "any -> object[any: any]", cast<Kind::Object>, nullptr, kOld},
    {"cast_set", "any -> set[any]", cast_set, nullptr, kOld},
    {"cast_string", "any -> string", cast<Kind::String>, nullptr, kOld},
    {"is_array", kTest, is_kind<Kind::Array>},
    {"is_boolean", kTest, is_kind<Kind::Boolean>},
    {"is_null", kTest, is_kind<Kind::Null>},
    {"is_number", kTest, is_kind<Kind::Number>},
    {"is_object", kTest, is_kind<Kind::Object>},
    {"is_set", kTest, is_kind<Kind::Set>},
    {"is_string", kTest, is_kind<Kind::String>},
    {"type_name", "any -> string", type_name},
});

}  // namespace

BuiltinTable types() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
