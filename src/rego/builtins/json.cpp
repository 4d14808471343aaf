#include "src/rego/json.hpp"

#include "src/rego/builtins/json_impl.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/tables.hpp"

#include <array>

namespace sallyport::rego::builtins {
namespace {

// Charges for everything that the value holds. False: the budget has ended.
bool charge_all(BuiltinCall& call, Value value) {
  if (!call.budget.charge(1 + (value.is(Kind::String) ? value.size() / 256 : 0))) return false;
  if (value.is(Kind::Object)) {
    return std::ranges::all_of(value.entries(), [&](Entry const& entry) {
      return charge_all(call, entry.key) && charge_all(call, entry.value);
    });
  }
  if (!value.is(Kind::Array) && !value.is(Kind::Set)) return true;
  return std::ranges::all_of(value.items(), [&](Value item) { return charge_all(call, item); });
}

// Go escapes what HTML would read. In JSON these characters stand in strings only.
void append_for_html(std::string_view json, TextBuilder& out) {
  for (std::size_t at = 0; at < json.size() && !out.is_full();) {
    auto const rest = json.substr(at);
    auto const plain = std::min(rest.find_first_of("<>&\xe2"), rest.size());
    out.append(rest.substr(0, plain));
    at += plain;
    if (at == json.size()) return;
    auto const found = json.substr(at, 3);
    if (found.front() != '\xe2') {
      out.append(found.front() == '<' ? "\\u003c" : found.front() == '>' ? "\\u003e" : "\\u0026");
      at += 1;
    } else if (found == "\u2028" || found == "\u2029") {
      out.append(found == "\u2028" ? "\\u2028" : "\\u2029");
      at += 3;
    } else {
      out.append('\xe2');
      at += 1;
    }
  }
}

struct Layout {
  std::string_view prefix;
  std::string_view indent{"\t"};
  bool pretty{false};
};

// JSON on one line, laid out on many.
class Indenter {
 public:
  Indenter(Layout const& layout, TextBuilder& out) : layout_{layout}, out_{out} {}

  void write(std::string_view json) {
    for (std::size_t at = 0; at < json.size() && !out_.is_full(); ++at) {
      auto const byte = json[at];
      if (byte == '"') {
        auto const end = end_of_string(json, at);
        out_.append(json.substr(at, end - at));
        at = end - 1;
      } else if ((byte == '{' || byte == '[') && json[at + 1] == byte + 2) {
        out_.append(json.substr(at++, 2));  // an empty one stays on its line
      } else {
        write(byte);
      }
    }
  }

 private:
  static std::size_t end_of_string(std::string_view json, std::size_t at) {
    for (++at; json[at] != '"'; ++at) {
      if (json[at] == '\\') ++at;
    }
    return at + 1;
  }

  void write(char byte) {
    if (byte == '}' || byte == ']') new_line(--depth_);
    out_.append(byte);
    if (byte == '{' || byte == '[') new_line(++depth_);
    if (byte == ',') new_line(depth_);
    if (byte == ':') out_.append(' ');
  }

  void new_line(std::size_t depth) {
    out_.append('\n');
    out_.append(layout_.prefix);
    for (; depth > 0 && !out_.is_full(); --depth) out_.append(layout_.indent);
  }

  Layout const& layout_;
  TextBuilder& out_;
  std::size_t depth_{0};
};

Value marshal(BuiltinCall& call, Value value, Layout const& layout) {
  if (!charge_all(call, value)) return stopped(call);
  auto const json = to_json(value);
  TextBuilder escaped{call, json.size()};
  append_for_html(json, escaped);
  if (!layout.pretty || escaped.is_full()) return escaped.finish();
  TextBuilder out{call, json.size() * 2};
  out.append(layout.prefix);
  Indenter{layout, out}.write(escaped.view());
  if (!charge_bytes(call, out.view().size())) return stopped(call);
  return out.finish();
}

Value marshal(BuiltinCall& call, Operands operands) {
  return marshal(call, operands[0], {});
}

bool read_option_text(BuiltinCall& call, std::size_t index, Entry const& entry,
                      std::string_view& out) {
  if (entry.value.is(Kind::String)) {
    out = entry.value.as_string();
    return true;
  }
  call.wrong_operand(2, "key " + to_rego(entry.key) + " failed cast to string: operand " +
                            std::to_string(index) + " must be string but got " +
                            std::string{name_of(entry.value.kind())});
  return false;
}

bool read_options(BuiltinCall& call, std::span<Entry const> options, Layout& layout) {
  bool implied = false;
  bool asked = false;
  for (std::size_t index = 0; index < options.size(); ++index) {
    auto const& option = options[index];
    if (!option.key.is(Kind::String)) {
      call.wrong_operand(2, "failed to stringify key " + to_rego(option.key) + " at index " +
                                std::to_string(index) + ": operand " + std::to_string(index) +
                                " must be string but got " +
                                std::string{name_of(option.key.kind())});
      return false;
    }
    auto const name = option.key.as_string();
    if (name == "prefix" || name == "indent") {
      auto& text = name == "prefix" ? layout.prefix : layout.indent;
      if (!read_option_text(call, index, option, text)) return false;
      implied = true;
    } else if (name == "pretty") {
      if (!option.value.is(Kind::Boolean)) {
        call.wrong_operand(2, "key \"pretty\" failed cast to bool");
        return false;
      }
      asked = true;
      layout.pretty = option.value.as_boolean();
    } else {
      call.wrong_operand(2, "object contained unknown key " + to_rego(option.key));
      return false;
    }
  }
  if (!asked) layout.pretty = implied;
  return true;
}

Value marshal_with_options(BuiltinCall& call, Operands operands) {
  std::span<Entry const> options;
  Layout layout;
  if (!read_object(call, operands, 2, options) || !read_options(call, options, layout)) return {};
  return marshal(call, operands[0], layout);
}

Value unmarshal(BuiltinCall& call, Operands operands) {
  std::string_view text;
  if (!read_string(call, operands, 1, text)) return {};
  if (!call.budget.charge(1 + text.size() / 64)) return stopped(call);
  auto const value = parse_json(text, call.arena);
  return value ? *value : call.fail(value.error().message);
}

Value is_valid(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return Value::boolean(false);
  auto const text = operands[0].as_string();
  if (!call.budget.charge(1 + text.size() / 64)) return stopped(call);
  return Value::boolean(parse_json(text, call.arena).has_value());
}

constexpr std::string_view kSelect =
    "object[any: any], any<array[any<string, array[any]>], set[any<string, array[any]>]> -> "
    "object[any: any]";

constexpr auto kTable = std::to_array<Builtin>({
    {"json.filter", kSelect, json_filter},
    {"json.is_valid", "string -> boolean", is_valid},
    {"json.marshal", "any -> string", marshal},
    {"json.marshal_with_options",
     "any, object<indent: string, prefix: string, pretty: boolean>[string: any] -> string",
     marshal_with_options},
    {"json.patch", "any, array[object<op: string, path: any>[any: any]] -> any", json_patch},
    {"json.remove", kSelect, json_remove},
    {"json.unmarshal", "string -> any", unmarshal},
});

}  // namespace

BuiltinTable json() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
