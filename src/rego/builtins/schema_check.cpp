#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/regex_engine.hpp"
#include "src/rego/builtins/schema.hpp"
#include "src/rego/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace sallyport::rego::builtins {
namespace {

constexpr std::array<std::string_view, 7> kTypes = {"array", "boolean", "integer", "number",
                                                    "null",  "object",  "string"};

std::string invalid_type(std::string_view expected, std::string_view given) {
  return fmt::format("Invalid type. Expected: {}, given: {}", expected, given);
}

bool is_list(Value value) {
  return value.is(Kind::Array) || value.is(Kind::Set);
}

bool is_schema(Value value) {
  return value.is(Kind::Object) || value.is(Kind::Boolean);
}

// One keyword after the other, in the order in which OPA finds what is wrong. The first finding
// ends it.
class Check {
 public:
  Check(BuiltinCall& call, Value root) : call_{call}, root_{root} {}

  std::string run(Value schema, int depth = 0) {
    if (schema.is(Kind::Boolean)) return {};
    if (!schema.is(Kind::Object)) return "Expected: Valid Schema, given: Invalid JSON";
    if (depth > kDeepestSchema) return "the schema is nested too deeply";
    if (!call_.budget.charge(1 + schema.size())) {
      stopped(call_);
      return "stopped";
    }
    schema_ = schema;
    depth_ = depth;
    using Step = std::string (Check::*)();
    for (Step const step :
         {&Check::texts, &Check::definitions, &Check::reference, &Check::type, &Check::properties,
          &Check::dependencies, &Check::items, &Check::numbers, &Check::lengths, &Check::patterns,
          &Check::required, &Check::values, &Check::combinations}) {
      // Nested schemas use the members as well.
      schema_ = schema;
      depth_ = depth;
      if (auto error = (this->*step)(); !error.empty()) return error;
    }
    return {};
  }

 private:
  Value keyword(std::string_view name) const { return get(schema_, name); }

  std::string nested(Value schema) {
    auto const outer = schema_;
    auto const depth = depth_;
    auto error = run(schema, depth + 1);
    schema_ = outer;
    depth_ = depth;
    return error;
  }

  std::string nested_in(std::span<Entry const> entries) {
    for (auto const& entry : entries) {
      if (auto error = nested(entry.value); !error.empty()) return error;
    }
    return {};
  }

  std::string texts() {
    for (auto const* const name :
         {"$id", "id", "title", "description", "$ref", "pattern", "format"}) {
      auto const value = keyword(name);
      if (value.is_defined() && !value.is(Kind::String)) return invalid_type("string", name);
    }
    return {};
  }

  std::string definitions() {
    auto const value = keyword("definitions");
    if (!value.is_defined()) return {};
    bool const good =
        value.is(Kind::Object) && std::ranges::all_of(value.entries(), [](Entry const& entry) {
          return is_schema(entry.value);
        });
    return good ? nested_in(value.entries()) : invalid_type("Array Of Schemas", "definitions");
  }

  std::string reference() {
    auto const value = keyword("$ref");
    if (!value.is_defined() || !references_.insert(value.as_string()).second) return {};
    std::string error;
    auto const target = find_reference(root_, value.as_string(), error);
    if (!target.is_defined()) return error;
    if (!is_schema(target)) return "Valid Schema must be of type object";
    return nested(target);
  }

  std::string type() {
    auto const value = keyword("type");
    if (!value.is_defined()) return {};
    if (!value.is(Kind::String) && !is_list(value)) {
      return invalid_type("type", "string/Array Of Strings");
    }
    auto const names = value.is(Kind::String) ? std::span<Value const>{&value, 1} : value.items();
    std::set<std::string_view> seen;
    for (auto const name : names) {
      if (!name.is(Kind::String)) return invalid_type("type", "string/Array Of Strings");
      if (std::ranges::find(kTypes, name.as_string()) == kTypes.end()) {
        return fmt::format(
            "has a primitive type that is NOT VALID -- given: /{}/ Expected valid values are:[{}]",
            name.as_string(), fmt::join(kTypes, " "));
      }
      if (!seen.insert(name.as_string()).second) {
        return fmt::format("{} type is duplicated", name.as_string());
      }
    }
    return {};
  }

  std::string properties() {
    if (auto const value = keyword("properties"); value.is_defined()) {
      if (!value.is(Kind::Object)) return "Properties must be of type object";
      if (auto error = nested_in(value.entries()); !error.empty()) return error;
    }
    if (auto const value = keyword("additionalProperties"); value.is_defined()) {
      if (!is_schema(value)) return invalid_type("boolean/Valid Schema", "additionalProperties");
      if (auto error = nested(value); !error.empty()) return error;
    }
    if (auto const value = keyword("patternProperties"); value.is_defined()) {
      if (!value.is(Kind::Object)) return invalid_type("Valid Schema", "patternProperties");
      for (auto const& [pattern, member] : value.entries()) {
        std::string error;
        if (!pattern.is(Kind::String) || Regex::compile(pattern.as_string(), error) == nullptr) {
          return fmt::format("Invalid regex pattern '{}'", pattern.as_string());
        }
        if (error = nested(member); !error.empty()) return error;
      }
    }
    if (auto const value = keyword("propertyNames"); value.is_defined()) {
      return is_schema(value) ? nested(value) : invalid_type("Valid Schema", "patternProperties");
    }
    return {};
  }

  std::string dependencies() {
    constexpr std::string_view kWrong = "Dependency must be of type Schema Or Array Of Strings";
    auto const value = keyword("dependencies");
    if (!value.is_defined()) return {};
    if (!value.is(Kind::Object)) return "dependencies must be of type object";
    for (auto const& [name, dependency] : value.entries()) {
      if (is_schema(dependency)) {
        if (auto error = nested(dependency); !error.empty()) return error;
      } else if (!is_list(dependency) || !std::ranges::all_of(dependency.items(), [](Value item) {
                   return item.is(Kind::String);
                 })) {
        return std::string{kWrong};
      }
    }
    return {};
  }

  std::string items() {
    constexpr std::string_view kExpected = "Valid Schema/Array Of Schemas";
    if (auto const value = keyword("items"); value.is_defined()) {
      if (!is_schema(value) && !is_list(value)) return invalid_type(kExpected, "items");
      auto const schemas = is_schema(value) ? std::span<Value const>{&value, 1} : value.items();
      for (auto const schema : schemas) {
        if (!is_schema(schema)) return invalid_type(kExpected, "items");
        if (auto error = nested(schema); !error.empty()) return error;
      }
    }
    for (auto const* const name : {"additionalItems", "contains"}) {
      auto const value = keyword(name);
      if (!value.is_defined()) continue;
      if (!is_schema(value)) return invalid_type("boolean/Valid Schema", name);
      if (auto error = nested(value); !error.empty()) return error;
    }
    if (auto const value = keyword("uniqueItems"); value.is_defined() && !value.is(Kind::Boolean)) {
      return "uniqueItems must be of a boolean";
    }
    return {};
  }

  std::string numbers() {
    auto const zero = Value::integer(0);
    if (auto const value = keyword("multipleOf"); value.is_defined()) {
      if (!value.is(Kind::Number)) return invalid_type("Number", "multipleOf");
      if (compare(value, zero) <= 0) return "multipleOf must be strictly greater than 0";
    }
    for (auto const& [plain, exclusive] :
         {std::pair{"minimum", "exclusiveMinimum"}, std::pair{"maximum", "exclusiveMaximum"}}) {
      auto const bound = keyword(plain);
      if (bound.is_defined() && !bound.is(Kind::Number)) {
        return fmt::format("{} must be of a Number", plain);
      }
      auto const value = keyword(exclusive);
      if (value.is(Kind::Boolean) && !bound.is_defined()) {
        return fmt::format("{} cannot be used without {}", exclusive, plain);
      }
      if (value.is_defined() && !value.is(Kind::Boolean) && !value.is(Kind::Number)) {
        return invalid_type("boolean/number", exclusive);
      }
    }
    return {};
  }

  std::string lengths() {
    for (auto const& [least, most] :
         {std::pair{"minLength", "maxLength"}, std::pair{"minProperties", "maxProperties"},
          std::pair{"minItems", "maxItems"}}) {
      for (auto const* const name : {least, most}) {
        auto const value = keyword(name);
        if (!value.is_defined()) continue;
        if (!value.is(Kind::Number) || !to_int64(value)) {
          return fmt::format("{} must be of an integer", name);
        }
        if (compare(value, Value::integer(0)) < 0) {
          return fmt::format("{} must be greater than or equal to 0", name);
        }
      }
      auto const low = keyword(least);
      auto const high = keyword(most);
      bool const compared = std::string_view{least} != "minItems";
      if (compared && low.is_defined() && high.is_defined() && compare(low, high) > 0) {
        return fmt::format("{} cannot be greater than {}", least, most);
      }
    }
    return {};
  }

  std::string patterns() {
    auto const value = keyword("pattern");
    std::string error;
    if (!value.is_defined() || Regex::compile(value.as_string(), error) != nullptr) return {};
    return "pattern must be a valid regex";
  }

  std::string required() {
    auto const value = keyword("required");
    if (!value.is_defined()) return {};
    if (!is_list(value)) return "required must be of an array";
    std::set<std::string_view> seen;
    for (auto const name : value.items()) {
      if (!name.is(Kind::String)) return invalid_type("string", "required");
      if (!seen.insert(name.as_string()).second) return "required items must be unique";
    }
    return {};
  }

  std::string values() {
    auto const value = keyword("enum");
    if (!value.is_defined()) return {};
    if (!is_list(value)) return "enum must be of an array";
    auto const items = value.items();
    if (!call_.budget.charge(items.size())) {
      stopped(call_);
      return "stopped";
    }
    std::vector<Value> sorted{items.begin(), items.end()};
    std::ranges::sort(sorted, [](Value left, Value right) { return compare(left, right) < 0; });
    return std::ranges::adjacent_find(sorted, equal) == sorted.end() ? ""
                                                                     : "enum items must be unique";
  }

  std::string combinations() {
    for (auto const* const name : {"oneOf", "anyOf", "allOf"}) {
      auto const value = keyword(name);
      if (!value.is_defined()) continue;
      if (!is_list(value)) return fmt::format("{} must be of an array", name);
      for (auto const schema : value.items()) {
        if (auto error = nested(schema); !error.empty()) return error;
      }
    }
    for (auto const* const name : {"not", "if", "then", "else"}) {
      auto const value = keyword(name);
      if (!value.is_defined()) continue;
      if (!is_schema(value)) return fmt::format("{} must be of an object", name);
      if (auto error = nested(value); !error.empty()) return error;
    }
    return {};
  }

  BuiltinCall& call_;
  Value root_;
  Value schema_;
  int depth_{0};
  std::set<std::string_view> references_;
};

std::string unescaped(std::string_view segment) {
  std::string text;
  for (std::size_t at = 0; at < segment.size(); ++at) {
    if (segment[at] == '%' && at + 2 < segment.size()) {
      unsigned code = 0;
      auto const* const first = segment.data() + at + 1;
      if (std::from_chars(first, first + 2, code, 16).ptr == first + 2) {
        text += static_cast<char>(code);
        at += 2;
        continue;
      }
    }
    if (segment[at] == '~' && at + 1 < segment.size()) {
      text += segment[++at] == '1' ? '/' : '~';
      continue;
    }
    text += segment[at];
  }
  return text;
}

}  // namespace

Value find_reference(Value root, std::string_view reference, std::string& error) {
  if (!reference.starts_with('#')) {
    error = fmt::format("remote reference loading disabled: {}", reference);
    return {};
  }
  auto pointer = reference.substr(1);
  auto at = root;
  while (!pointer.empty()) {
    if (pointer.front() != '/') {
      error = fmt::format("Invalid reference {}", reference);
      return {};
    }
    auto const end = std::min(pointer.find('/', 1), pointer.size());
    auto const segment = unescaped(pointer.substr(1, end - 1));
    pointer.remove_prefix(end);
    if (at.is(Kind::Array)) {
      std::int64_t index = -1;
      auto const* const last = segment.data() + segment.size();
      if (std::from_chars(segment.data(), last, index).ptr != last) index = -1;
      at = get(at, Value::integer(index));
    } else {
      at = get(at, segment);
    }
    if (!at.is_defined()) {
      error = fmt::format("Object has no key '{}'", segment);
      return {};
    }
  }
  return at;
}

std::string check_schema(BuiltinCall& call, Value schema) {
  return Check{call, schema}.run(schema);
}

}  // namespace sallyport::rego::builtins
