#include "src/rego/builtins/template_value.hpp"

#include "src/rego/builtins/go_format.hpp"
#include "src/rego/json.hpp"
#include "src/rego/number.hpp"

namespace sallyport::rego::builtins {

using Type = TemplateValue::Kind;

TemplateValue TemplateValue::of(Value value) {
  switch (value.kind()) {
    case rego::Kind::Undefined: return {};
    case rego::Kind::Null: return {Kind::Nil, 0, 0, {}};
    case rego::Kind::Boolean: return of(value.as_boolean());
    case rego::Kind::Number: return {Kind::Number, 0, 0, value};
    case rego::Kind::String: return {Kind::Text, 0, 0, value};
    case rego::Kind::Array:
    case rego::Kind::Set: return {Kind::List, 0, 0, value};
    case rego::Kind::Object: return {Kind::Map, 0, 0, value};
  }
  return {};
}

bool TemplateValue::is_true() const noexcept {
  switch (kind) {
    case Kind::Missing:
    case Kind::Nil: return false;
    case Kind::Boolean:
    case Kind::Integer: return integer != 0;
    case Kind::Float: return real != 0;
    case Kind::Number: return true;
    case Kind::Text:
    case Kind::List:
    case Kind::Map: return data.size() != 0;
  }
  return false;
}

std::string_view TemplateValue::type_name() const noexcept {
  switch (kind) {
    case Kind::Missing:
    case Kind::Nil: return "<nil>";
    case Kind::Boolean: return "bool";
    case Kind::Integer: return "int";
    case Kind::Float: return "float64";
    case Kind::Number: return "json.Number";
    case Kind::Text: return "string";
    case Kind::List: return "[]interface {}";
    case Kind::Map: return "map[string]interface {}";
  }
  return "";
}

std::string number_text(Value number) {
  std::string text;
  append_number(number, text);
  return text;
}

namespace {

void print_list(TextBuilder& out, std::span<Value const> items) {
  out.append('[');
  bool first = true;
  for (auto const item : items) {
    if (!std::exchange(first, false)) out.append(' ');
    print_template_value(out, TemplateValue::of(item));
  }
  out.append(']');
}

void print_map(TextBuilder& out, std::span<Entry const> entries) {
  out.append("map[");
  bool first = true;
  for (auto const& [key, value] : entries) {
    if (!std::exchange(first, false)) out.append(' ');
    out.append(key.is(Kind::String) ? std::string{key.as_string()} : to_json(key));
    out.append(':');
    print_template_value(out, TemplateValue::of(value));
  }
  out.append(']');
}

}  // namespace

void print_template_value(TextBuilder& out, TemplateValue const& value) {
  if (out.is_full()) return;
  switch (value.kind) {
    case Type::Missing: return out.append("<no value>");
    case Type::Nil: return out.append("<nil>");
    case Type::Boolean: return out.append(value.integer != 0 ? "true" : "false");
    case Type::Integer: return out.append(std::to_string(value.integer));
    case Type::Float: return append_float(out, value.real);
    case Type::Number: return out.append(number_text(value.data));
    case Type::Text: return out.append(value.data.as_string());
    case Type::List: return print_list(out, value.data.items());
    case Type::Map: return print_map(out, value.data.entries());
  }
}

TemplateValue template_field(TemplateValue const& map, std::string_view name) {
  if (auto const found = get(map.data, name); found.is_defined()) return TemplateValue::of(found);
  // Keys that are no strings have become their JSON text.
  for (auto const& [key, value] : map.data.entries()) {
    if (!key.is(Kind::String) && to_json(key) == name) return TemplateValue::of(value);
  }
  return {};
}

}  // namespace sallyport::rego::builtins
