#include "src/rego/builtins/go_format.hpp"
#include "src/rego/builtins/go_number.hpp"
#include "src/rego/builtins/go_url.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/builtins/template_tree.hpp"
#include "src/rego/builtins/template_value.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace sallyport::rego::builtins {
namespace {

using Type = TemplateValue::Kind;
using Arguments = std::span<TemplateValue const>;

class Functions {
 public:
  Functions(BuiltinCall& call, std::string& error) : call_{call}, error_{error} {}

  bool apply(std::string_view name, Arguments arguments, TemplateValue& result) {
    name_ = name;
    if (name == "print" || name == "println") return print(arguments, result);
    if (name == "html" || name == "js" || name == "urlquery") return escape(arguments, result);
    if (name == "call") return fail("call of non-function");
    if (arguments.empty()) return fail("wrong number of args: want at least 1 got 0");
    if (name == "printf") return format(arguments, result);
    if (name == "not") return give(TemplateValue::of(!arguments[0].is_true()), result);
    if (name == "len") return length(arguments[0], result);
    if (name == "index") return index(arguments, result);
    if (name == "slice") return slice(arguments, result);
    return compare(arguments, result);
  }

 private:
  bool fail(std::string_view why) {
    error_ = "error calling " + std::string{name_} + ": " + std::string{why};
    return false;
  }

  static bool give(TemplateValue const& value, TemplateValue& result) {
    result = value;
    return true;
  }

  bool finish(TextBuilder& text, TemplateValue& result) {
    if (text.is_full()) return fail("the text is too long");
    return give(TemplateValue::text(text.view()), result);
  }

  // Spaces go between operands of which neither is a text; println puts one everywhere.
  void print_all(TextBuilder& out, Arguments arguments) {
    auto const is_text = [](TemplateValue const& value) {
      return value.kind == Type::Text || value.kind == Type::Number;
    };
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (i != 0 &&
          (name_ == "println" || (!is_text(arguments[i]) && !is_text(arguments[i - 1])))) {
        out.append(' ');
      }
      auto value = arguments[i];
      if (value.kind == Type::Missing) value.kind = Type::Nil;
      print_template_value(out, value);
    }
  }

  bool print(Arguments arguments, TemplateValue& result) {
    TextBuilder text{call_};
    print_all(text, arguments);
    if (name_ == "println") text.append('\n');
    return finish(text, result);
  }

  bool format(Arguments arguments, TemplateValue& result) {
    if (arguments[0].kind != Type::Text) return fail("wrong type for value; expected string");
    std::vector<FormatArgument> values;
    for (auto const& argument : arguments.subspan(1)) values.push_back(format_argument(argument));
    TextBuilder text{call_};
    go_format(text, arguments[0].data.as_string(), values);
    return finish(text, result);
  }

  FormatArgument format_argument(TemplateValue const& value) {
    FormatArgument argument{.integer = value.integer, .real = value.real};
    argument.type_name = value.type_name();
    switch (value.kind) {
      case Type::Boolean: argument.kind = FormatArgument::Kind::Boolean; return argument;
      case Type::Integer: argument.kind = FormatArgument::Kind::Integer; return argument;
      case Type::Float: argument.kind = FormatArgument::Kind::Float; return argument;
      case Type::Missing:
      case Type::Nil:
      case Type::Number:
      case Type::Text:
      case Type::List:
      case Type::Map: break;
    }
    TextBuilder text{call_};
    print_template_value(text, value.is_valid() ? value : TemplateValue{Type::Nil, 0, 0, {}});
    argument.text = text.view();
    return argument;
  }

  bool escape(Arguments arguments, TemplateValue& result) {
    TextBuilder plain{call_};
    print_all(plain, arguments);
    if (name_ == "urlquery") {
      return give(TemplateValue::text(call_.arena.copy(go_escape(plain.view(), UrlPart::Query))),
                  result);
    }
    TextBuilder text{call_};
    for (auto rest = plain.view(); !rest.empty();) {
      auto const rune = first_rune(rest);
      if (name_ == "html") {
        append_html(text, rest.substr(0, rune.width));
      } else {
        append_js(text, rune.code, rest.substr(0, rune.width));
      }
      rest.remove_prefix(rune.width);
    }
    return finish(text, result);
  }

  static void append_html(TextBuilder& out, std::string_view rune) {
    switch (rune.front()) {
      case '\0': return out.append("\xEF\xBF\xBD");
      case '"': return out.append("&#34;");
      case '\'': return out.append("&#39;");
      case '&': return out.append("&amp;");
      case '<': return out.append("&lt;");
      case '>': return out.append("&gt;");
      default: return out.append(rune);
    }
  }

  static void append_js(TextBuilder& out, char32_t code, std::string_view rune) {
    switch (code) {
      case '\\': return out.append("\\\\");
      case '\'': return out.append("\\'");
      case '"': return out.append("\\\"");
      case '<': return out.append("\\u003C");
      case '>': return out.append("\\u003E");
      case '&': return out.append("\\u0026");
      case '=': return out.append("\\u003D");
      default: break;
    }
    if (is_printable(code)) return out.append(rune);
    auto const digits = digits_of(std::uint64_t{code}, 16, true);
    out.append("\\u");
    out.append(digits.size() < 4 ? 4 - digits.size() : 0, '0');
    out.append(digits);
  }

  bool length(TemplateValue const& value, TemplateValue& result) {
    if (value.kind == Type::Number) {
      return give(TemplateValue::of(static_cast<std::int64_t>(number_text(value.data).size())),
                  result);
    }
    if (value.kind != Type::Text && value.kind != Type::List && value.kind != Type::Map) {
      return fail("len of type " + std::string{value.type_name()});
    }
    return give(TemplateValue::of(static_cast<std::int64_t>(value.data.size())), result);
  }

  bool index(Arguments arguments, TemplateValue& result) {
    auto item = arguments[0];
    if (!item.is_valid()) return fail("index of untyped nil");
    for (auto const& key : arguments.subspan(1)) {
      if (item.kind == Type::Map) {
        if (key.kind != Type::Text)
          return fail("value has type " + std::string{key.type_name()} + "; should be string");
        item = template_field(item, key.data.as_string());
      } else if (item.kind == Type::List || item.kind == Type::Text) {
        auto const at = offset(key, item.data.size(), false);
        if (!at) return false;
        item = item.kind == Type::List
                   ? TemplateValue::of(item.data.items()[*at])
                   : TemplateValue::of(
                         std::int64_t{static_cast<unsigned char>(item.data.as_string()[*at])});
      } else {
        return fail(item.is_valid() ? "can't index item of type " + std::string{item.type_name()}
                                    : "index of nil pointer");
      }
    }
    return give(item, result);
  }

  std::optional<std::size_t> offset(TemplateValue const& key, std::size_t size, bool may_be_end) {
    if (key.kind != Type::Integer) {
      fail("cannot index slice/array with type " + std::string{key.type_name()});
      return std::nullopt;
    }
    if (key.integer < 0 || static_cast<std::uint64_t>(key.integer) >= size + (may_be_end ? 1 : 0)) {
      fail("index out of range: " + std::to_string(key.integer));
      return std::nullopt;
    }
    return static_cast<std::size_t>(key.integer);
  }

  bool slice(Arguments arguments, TemplateValue& result) {
    auto const& item = arguments[0];
    if (item.kind != Type::Text && item.kind != Type::List) {
      return fail("can't slice item of type " + std::string{item.type_name()});
    }
    if (arguments.size() > 3)
      return fail("too many slice indexes: " + std::to_string(arguments.size() - 1));
    std::size_t begin = 0;
    std::size_t end = item.data.size();
    if (arguments.size() > 1) {
      auto const from = offset(arguments[1], item.data.size(), true);
      if (!from) return false;
      begin = *from;
    }
    if (arguments.size() > 2) {
      auto const to = offset(arguments[2], item.data.size(), true);
      if (!to) return false;
      end = *to;
    }
    if (begin > end) {
      return fail("invalid slice index: " + std::to_string(begin) + " > " + std::to_string(end));
    }
    auto const size = end - begin;
    return give(item.kind == Type::Text
                    ? TemplateValue::text(item.data.as_string().substr(begin, size))
                    : TemplateValue::of(Value::array(item.data.items().subspan(begin, size))),
                result);
  }

  bool compare(Arguments arguments, TemplateValue& result) {
    if (name_ == "eq") return any_equal(arguments, result);
    if (arguments.size() != 2) {
      return fail("wrong number of args: want 2 got " + std::to_string(arguments.size()));
    }
    bool yes = false;
    if (name_ == "ne") {
      if (!are_equal(arguments[0], arguments[1], yes)) return false;
      return give(TemplateValue::of(!yes), result);
    }
    auto const order = order_of(arguments[0], arguments[1]);
    if (!order) return false;
    yes = name_ == "lt"   ? *order < 0
          : name_ == "le" ? *order <= 0
          : name_ == "gt" ? *order > 0
                          : *order >= 0;
    return give(TemplateValue::of(yes), result);
  }

  bool any_equal(Arguments arguments, TemplateValue& result) {
    if (arguments.size() < 2) return fail("missing argument for comparison");
    bool yes = false;
    for (auto const& other : arguments.subspan(1)) {
      if (!are_equal(arguments[0], other, yes)) return false;
      if (yes) break;
    }
    return give(TemplateValue::of(yes), result);
  }

  // To Go a json.Number is a text.
  static Type basic(TemplateValue const& value) noexcept {
    return value.kind == Type::Number ? Type::Text : value.kind;
  }
  static std::string text_of(TemplateValue const& value) {
    return value.kind == Type::Number ? number_text(value.data)
                                      : std::string{value.data.as_string()};
  }

  bool are_equal(TemplateValue const& left, TemplateValue const& right, bool& yes) {
    yes = false;
    if (!left.is_valid() || !right.is_valid()) {
      yes = left.is_valid() == right.is_valid();
      return true;
    }
    if (basic(left) != basic(right)) return fail("incompatible types for comparison");
    switch (basic(left)) {
      case Type::Boolean:
      case Type::Integer: yes = left.integer == right.integer; return true;
      case Type::Float: yes = left.real == right.real; return true;
      case Type::Text: yes = text_of(left) == text_of(right); return true;
      case Type::Missing:
      case Type::Nil:
      case Type::Number:
      case Type::List:
      case Type::Map: break;
    }
    return fail("non-comparable type " + std::string{left.type_name()});
  }

  std::optional<int> order_of(TemplateValue const& left, TemplateValue const& right) {
    auto const sign = [](auto const& a, auto const& b) { return a < b ? -1 : b < a ? 1 : 0; };
    if (basic(left) != basic(right)) {
      fail("incompatible types for comparison");
      return std::nullopt;
    }
    if (left.kind == Type::Integer) return sign(left.integer, right.integer);
    if (left.kind == Type::Float) return sign(left.real, right.real);
    if (basic(left) == Type::Text) return sign(text_of(left), text_of(right));
    fail("invalid type for comparison");
    return std::nullopt;
  }

  BuiltinCall& call_;
  std::string& error_;
  std::string_view name_;
};

constexpr std::string_view kNames[] = {
    "and", "call", "eq",  "ge", "gt",    "html",   "index",   "js",    "le",      "len",
    "lt",  "ne",   "not", "or", "print", "printf", "println", "slice", "urlquery"};

}  // namespace

bool is_template_function(std::string_view name) {
  return std::ranges::find(kNames, name) != std::end(kNames);
}

bool call_template_function(BuiltinCall& call, std::string_view name, Arguments arguments,
                            TemplateValue& result, std::string& error) {
  return Functions{call, error}.apply(name, arguments, result);
}

}  // namespace sallyport::rego::builtins
