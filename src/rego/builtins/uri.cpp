#include "src/rego/build.hpp"
#include "src/rego/builtins/go_url.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/tables.hpp"

namespace sallyport::rego::builtins {
namespace {

Value parse(BuiltinCall& call, Operands operands) {
  std::string_view text;
  if (!read_string(call, operands, 1, text)) return {};
  if (!charge_bytes(call, text.size())) return stopped(call);
  std::string error;
  auto const url = parse_go_url(text, error);
  if (!url) return call.fail(std::move(error));

  ObjectBuilder object{call.arena, 7};
  auto const add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) object.add(key, Value::string(call.arena.copy(value)));
  };
  add("scheme", url->scheme);
  add("hostname", url->hostname());
  add("port", url->port());
  add("path", url->path);
  if (!url->path.empty()) add("raw_path", url->raw_path.empty() ? url->path : url->raw_path);
  add("raw_query", url->raw_query);
  add("fragment", url->fragment);
  return object.finish();
}

// The empty text is a valid reference, but hardly what a policy means.
Value is_valid(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String) || operands[0].size() == 0) return Value::boolean(false);
  if (!charge_bytes(call, operands[0].size())) return stopped(call);
  std::string ignored;
  return Value::boolean(parse_go_url(operands[0].as_string(), ignored).has_value());
}

constexpr Builtin kTable[] = {
    {"uri.is_valid", "string -> boolean", is_valid},
    {"uri.parse", "string -> object[string: string]", parse},
};

}  // namespace

BuiltinTable uri() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
