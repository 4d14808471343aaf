// The texts of signatures, and how types are written.
#include "src/rego/builtin.hpp"
#include "src/rego/json.hpp"
#include "src/rego/type.hpp"

#include <string>
#include <unordered_map>

namespace sallyport::rego {
namespace {

class Reader {
 public:
  Reader(std::string_view text, Arena& arena) : text_{text}, arena_{arena} {}

  bool read(Signature& signature) {
    skip_spaces();
    if (!text_.starts_with("->") && !text_.empty()) {
      do {
        auto const* const type = read_named();
        if (type == nullptr) return false;
        if (take("...")) {
          signature.variadic = true;
          break;
        }
        signature.parameters.push_back(type);
      } while (take(","));
    }
    if (take("->")) {
      skip_spaces();
      if (!text_.empty() && !take("void") && !take("()")) {
        signature.result = read_named();
        if (signature.result == nullptr) return false;
      }
    }
    skip_spaces();
    return text_.empty();
  }

 private:
  void skip_spaces() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }

  bool take(std::string_view token) {
    skip_spaces();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }

  std::string_view read_word() {
    skip_spaces();
    std::size_t size = 0;
    while (size < text_.size() &&
           std::string_view{" ,:<>[].()"}.find(text_[size]) == std::string_view::npos)
      ++size;
    auto const word = text_.substr(0, size);
    text_.remove_prefix(size);
    return word;
  }

  // "string" or "search: string"
  Type const* read_named() {
    auto const before = text_;
    auto const word = read_word();
    if (!word.empty() && take(":")) return read_type();
    text_ = before;
    return read_type();
  }

  Type const* read_type() {
    auto const word = read_word();
    if (word == "null") return &types::kNull;
    if (word == "boolean") return &types::kBoolean;
    if (word == "number") return &types::kNumber;
    if (word == "string") return &types::kString;
    if (word == "any") return take("<") ? read_union() : &types::kAny;
    if (word == "array") return read_array();
    if (word == "set") return read_set();
    if (word == "object") return read_object();
    return nullptr;
  }

  Type const* read_union() {
    Type const* result = nullptr;
    do {
      auto const* const part = read_type();
      if (part == nullptr) return nullptr;
      result = types::either(arena_, result, part);
    } while (take(","));
    return take(">") ? result : nullptr;
  }

  Type const* read_array() {
    std::vector<Type const*> first;
    if (take("<") && !take(">")) {
      do {
        first.push_back(read_type());
        if (first.back() == nullptr) return nullptr;
      } while (take(","));
      if (!take(">")) return nullptr;
    }
    Type const* rest = first.empty() ? &types::kAny : nullptr;
    if (take("[")) {
      rest = read_type();
      if (rest == nullptr || !take("]")) return nullptr;
    }
    return types::array(arena_, first, rest);
  }

  Type const* read_set() {
    if (!take("[")) return types::set(arena_, &types::kAny);
    auto const* const of = read_type();
    return of != nullptr && take("]") ? types::set(arena_, of) : nullptr;
  }

  Type const* read_object() {
    std::vector<TypeProperty> properties;
    if (take("<") && !take(">")) {
      do {
        take("\"");
        auto const name = read_word();
        auto const bare = name.ends_with('"') ? name.substr(0, name.size() - 1) : name;
        if (bare.empty() || !take(":")) return nullptr;
        auto const* const type = read_type();
        if (type == nullptr) return nullptr;
        properties.push_back({Value::string(arena_.copy(bare)), type});
      } while (take(","));
      if (!take(">")) return nullptr;
    }
    auto const kept = arena_.allocate_span<TypeProperty>(properties.size());
    std::uninitialized_copy(properties.begin(), properties.end(), kept.begin());
    if (take("[")) {
      auto const* const key = read_type();
      if (key == nullptr || !take(":")) return nullptr;
      auto const* const value = read_type();
      if (value == nullptr || !take("]")) return nullptr;
      return types::open_object(arena_, kept, key, value);
    }
    if (kept.empty()) return types::open_object(arena_, kept, &types::kAny, &types::kAny);
    return types::object(arena_, kept);
  }

  std::string_view text_;
  Arena& arena_;
};

// What the language itself calls, whether or not a table has it.
struct LanguageFunction {
  std::string_view name;
  std::string_view signature;
};
constexpr LanguageFunction kLanguageFunctions[] = {
    {"eq", "any, any -> boolean"},
    {"assign", "any, any -> boolean"},
    {"equal", "any, any -> boolean"},
    {"internal.member_2", "any, any -> boolean"},
    {"internal.member_3", "any, any, any -> boolean"},
    {"internal.print", "array[set[any]] -> "},
    {"internal.template_string", "array[any] -> string"},
    {"print", "any... -> "},
    {"rego.metadata.chain", "-> array[any]"},
    {"rego.metadata.rule", "-> any"},
};

struct Signatures {
  Arena arena;
  std::unordered_map<std::string_view, Signature> by_name;

  Signatures() {
    for (auto const* const builtin : all_builtins()) {
      add(builtin->name, builtin->signature);
      auto& signature = by_name[builtin->name];
      auto const is_relation = (builtin->flags & Builtin::kRelation) != 0;
      if (!is_relation || signature.result == nullptr || signature.result->kind != TypeKind::Set)
        continue;
      // The call gives one member after the other.
      signature.result = signature.result->rest;
      signature.as_type = types::function(arena, signature.parameters, signature.result);
    }
    for (auto const& function : kLanguageFunctions) {
      by_name.erase(function.name);
      add(function.name, function.signature);
    }
  }

  void add(std::string_view name, std::string_view text) {
    auto& signature = by_name[name];
    parse_signature(text, signature, arena);
    signature.as_type = types::function(arena, signature.parameters, signature.result);
  }
};

}  // namespace

bool parse_signature(std::string_view text, Signature& signature, Arena& arena) {
  signature = {};
  if (Reader{text, arena}.read(signature)) return true;
  // As many operands as commas outside of brackets say, of any type.
  auto const parameters = text.substr(0, text.find("->"));
  auto depth = 0;
  std::size_t count = parameters.find_first_not_of(' ') == std::string_view::npos ? 0 : 1;
  for (auto const c : parameters) {
    if (c == '<' || c == '[') ++depth;
    if (c == '>' || c == ']') --depth;
    if (c == ',' && depth == 0) ++count;
  }
  signature = {};
  signature.parameters.assign(count, &types::kAny);
  signature.result = &types::kAny;
  return false;
}

Signature const* find_signature(std::string_view builtin) {
  static Signatures const signatures;
  auto const found = signatures.by_name.find(builtin);
  return found == signatures.by_name.end() ? nullptr : &found->second;
}

std::string to_text(Type const* type) {
  if (type == nullptr) return "???";
  auto const join = [](std::span<Type const* const> parts) {
    std::string text;
    for (auto const* const part : parts) {
      if (!text.empty()) text += ", ";
      text += to_text(part);
    }
    return text;
  };
  switch (type->kind) {
    case TypeKind::Null: return "null";
    case TypeKind::Boolean: return "boolean";
    case TypeKind::Number: return "number";
    case TypeKind::String: return "string";
    case TypeKind::Any: return type->parts.empty() ? "any" : "any<" + join(type->parts) + ">";
    case TypeKind::Set: return "set[" + to_text(type->rest) + "]";
    case TypeKind::Array: {
      std::string text = "array";
      if (!type->parts.empty()) text += "<" + join(type->parts) + ">";
      if (type->rest != nullptr) text += "[" + to_text(type->rest) + "]";
      return text;
    }
    case TypeKind::Object: {
      std::string text = "object";
      if (!type->properties.empty()) {
        text += '<';
        for (auto const& property : type->properties) {
          if (!text.ends_with('<')) text += ", ";
          text += property.key.is(Kind::String) ? std::string{property.key.as_string()}
                                                : to_rego(property.key);
          text += ": " + to_text(property.type);
        }
        text += '>';
      }
      if (type->open) text += "[" + to_text(type->key) + ": " + to_text(type->rest) + "]";
      return text;
    }
    case TypeKind::Function: return "(" + join(type->parts) + ") => " + to_text(type->rest);
  }
  return "any";
}

}  // namespace sallyport::rego
