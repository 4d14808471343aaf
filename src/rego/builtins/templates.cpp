#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/builtins/tables.hpp"
#include "src/rego/builtins/template_renderer.hpp"
#include "src/rego/json.hpp"

#include <charconv>

namespace sallyport::rego::builtins {
namespace {

void append_part(TextBuilder& out, Value part) {
  switch (part.kind()) {
    case Kind::Undefined: return out.append("<undefined>");
    case Kind::Null: return out.append("null");
    case Kind::Boolean: return out.append(part.as_boolean() ? "true" : "false");
    case Kind::String: return out.append(part.as_string());
    case Kind::Number:
      if (part.is_int64()) {
        char digits[24];
        auto const written = std::to_chars(digits, digits + sizeof digits, part.as_int64());
        return out.append({digits, written.ptr});
      }
      return out.append(part.as_number_text());
    case Kind::Array:
    case Kind::Object:
    case Kind::Set: return out.append(to_rego(part));
  }
}

// Of $"…{expression}…": each expression comes as the set of its values, so that an undefined one is
// the empty set. What needs no set may come as itself.
Value template_string(BuiltinCall& call, Operands operands) {
  std::span<Value const> parts;
  if (!read_array(call, operands, 1, parts)) return {};
  TextBuilder text{call};
  for (auto const part : parts) {
    if (!part.is(Kind::Set)) {
      append_part(text, part);
    } else if (part.items().empty()) {
      text.append("<undefined>");
    } else if (part.items().size() == 1) {
      append_part(text, part.items().front());
    } else {
      return call.halt("template-strings must not produce multiple outputs");
    }
  }
  return text.finish();
}

Value render(BuiltinCall& call, Operands operands) {
  std::string_view source;
  std::span<Entry const> fields;
  if (!read_string(call, operands, 1, source) || !read_object(call, operands, 2, fields)) return {};
  if (!charge_bytes(call, source.size() * 16)) return stopped(call);
  std::string error;
  auto const templates = parse_template(source, error);
  if (!templates) return call.fail(std::move(error));
  TextBuilder text{call, source.size()};
  if (!render_template(call, *templates, operands[1], text, error)) {
    if (!error.empty()) return call.fail(std::move(error));
    return text.is_full() ? text.finish() : stopped(call);
  }
  if (text.is_full()) return text.finish();

  constexpr std::string_view kNoValue = "<no value>";
  auto rest = text.view();
  if (find(rest, kNoValue) == std::string_view::npos) return text.finish();
  TextBuilder result{call, rest.size()};
  for (auto at = find(rest, kNoValue); at != std::string_view::npos; at = find(rest, kNoValue)) {
    result.append(rest.substr(0, at));
    result.append("<undefined>");
    rest.remove_prefix(at + kNoValue.size());
  }
  result.append(rest);
  return result.finish();
}

constexpr Builtin kTable[] = {
    {"internal.template_string", "array[any] -> string", template_string},
    {"strings.render_template", "string, object[string: any] -> string", render},
};

}  // namespace

BuiltinTable templates() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
