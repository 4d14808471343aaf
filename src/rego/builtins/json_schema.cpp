#include "src/rego/build.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/schema.hpp"
#include "src/rego/builtins/tables.hpp"
#include "src/rego/json.hpp"

#include <array>

namespace sallyport::rego::builtins {
namespace {

// A document, or its JSON text. Undefined, with the reason, where it is neither.
Value read_document(BuiltinCall& call, Value operand, std::string& error) {
  if (operand.is(Kind::Object) || operand.is(Kind::Array)) return operand;
  if (!operand.is(Kind::String)) {
    error = "wrong type, expected string or object";
    return {};
  }
  auto const parsed = parse_json(operand.as_string(), call.arena);
  if (!parsed) error = "invalid JSON string";
  return parsed ? *parsed : Value{};
}

Value pair_of(BuiltinCall& call, bool valid, Value detail) {
  auto const items = call.arena.allocate_span<Value>(2);
  items[0] = Value::boolean(valid);
  items[1] = detail;
  return Value::array(items);
}

Value verify_schema(BuiltinCall& call, Operands operands) {
  std::string error;
  auto const schema = read_document(call, operands[0], error);
  if (schema.is_defined()) error = check_schema(call, schema);
  if (call.error != BuiltinErrc::None) return {};
  if (error.empty()) return pair_of(call, true, Value::null());
  return pair_of(call, false, Value::string(call.arena.copy("jsonschema: " + error)));
}

Value describe(SchemaError const& error, Arena& arena) {
  ObjectBuilder object{arena, 4};
  object.add("error", Value::string(arena.copy(error.field + ": " + error.description)));
  object.add("type", Value::string(arena.copy(error.type)));
  object.add("field", Value::string(arena.copy(error.field)));
  object.add("desc", Value::string(arena.copy(error.description)));
  return object.finish();
}

Value match_schema(BuiltinCall& call, Operands operands) {
  std::string error;
  auto const document = read_document(call, operands[0], error);
  if (!document.is_defined()) return call.fail(error);
  auto const schema = read_document(call, operands[1], error);
  if (schema.is_defined()) error = check_schema(call, schema);
  if (call.error != BuiltinErrc::None) return {};
  if (!error.empty()) return call.fail(error);

  auto const errors = validate(call, schema, document);
  if (call.error != BuiltinErrc::None) return {};
  ArrayBuilder list{call.arena, errors.size()};
  for (auto const& found : errors) list.add(describe(found, call.arena));
  return pair_of(call, errors.empty(), list.finish());
}

constexpr auto kTable = std::to_array<Builtin>({
    {"json.match_schema",
     "any<string, object[any: any]>, any<string, object[any: any]> -> array<boolean, "
     "array[object<desc: string, error: string, field: string, type: string>]>",
     match_schema},
    {"json.verify_schema", "any<string, object[any: any]> -> array<boolean, any<null, string>>",
     verify_schema},
});

}  // namespace

BuiltinTable json_schema() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
