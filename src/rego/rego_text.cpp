// Values as Rego writes them. Strings are quoted as Go does it, since OPA's texts come from there.
#include "src/rego/builtins/quote.hpp"
#include "src/rego/json.hpp"
#include "src/rego/number.hpp"

namespace sallyport::rego {
namespace {

void append(Value value, std::string& out);

void append_items(std::span<Value const> items, std::string& out) {
  for (auto const& item : items) {
    if (&item != items.data()) out += ", ";
    append(item, out);
  }
}

void append_entries(std::span<Entry const> entries, std::string& out) {
  out += '{';
  for (auto const& entry : entries) {
    if (&entry != entries.data()) out += ", ";
    append(entry.key, out);
    out += ": ";
    append(entry.value, out);
  }
  out += '}';
}

void append(Value value, std::string& out) {
  switch (value.kind()) {
    case Kind::Undefined: return;
    case Kind::Null: out += "null"; return;
    case Kind::Boolean: out += value.as_boolean() ? "true" : "false"; return;
    case Kind::Number: append_number(value, out); return;
    case Kind::String: out += builtins::quoted(value.as_string()); return;
    case Kind::Array:
      out += '[';
      append_items(value.items(), out);
      out += ']';
      return;
    case Kind::Object: append_entries(value.entries(), out); return;
    case Kind::Set:
      if (value.size() == 0) {
        out += "set()";
        return;
      }
      out += '{';
      append_items(value.items(), out);
      out += '}';
      return;
  }
}

}  // namespace

std::string to_rego(Value value) {
  std::string out;
  append(value, out);
  return out;
}

}  // namespace sallyport::rego
