// The validation vocabulary: what a value itself must be.
#include "src/json/schema/compiler.hpp"
#include "src/json/schema/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace sallyport::json {
namespace {

struct TypeName {
  std::string_view name;
  Types types;
};
constexpr std::array kTypeNames{
    TypeName{"null", kNull},       TypeName{"boolean", kBoolean}, TypeName{"object", kObject},
    TypeName{"array", kArray},     TypeName{"number", kNumber},   TypeName{"string", kString},
    TypeName{"integer", kInteger},
};

Result<Types> type_named(Site const& site, Value const& name) {
  if (auto const* text = name.if_string()) {
    for (auto const& entry : kTypeNames) {
      if (entry.name == view(*text)) return entry.types;
    }
  }
  return invalid_schema(site, "\"type\" must name one of the seven JSON types.");
}

Result<void> read_type(Site const& site, Node& node) {
  auto const* type = find(site.schema, "type");
  if (type == nullptr) return {};
  auto const* list = type->if_array();
  if (list == nullptr) {
    SP_TRY(node.types, type_named(site, *type));
    return {};
  }
  node.types = 0;
  for (auto const& name : *list) {
    SP_TRY(auto const types, type_named(site, name));
    node.types = static_cast<Types>(node.types | types);
  }
  return {};
}

Result<void> read_values(Site const& site, Node& node) {
  if (auto const* constant = find(site.schema, "const")) {
    node.constant.emplace(*constant);
    node.values_weight += weight(*constant);
  }
  auto const* values = find(site.schema, "enum");
  if (values == nullptr) return {};
  auto const* list = values->if_array();
  if (list == nullptr) return invalid_schema(site, "\"enum\" must be a list.");
  node.enumeration.emplace(list->begin(), list->end());
  node.values_weight += weight(*values);
  return {};
}

Result<std::optional<Value>> number_at(Site const& site, std::string_view keyword) {
  auto const* value = find(site.schema, keyword);
  if (value == nullptr) return std::optional<Value>{};
  if (!value->is_number()) {
    return invalid_schema(site, fmt::format("\"{}\" must be a number.", keyword));
  }
  return std::optional<Value>{*value};
}

Result<void> read_numbers(Site const& site, Node& node) {
  NumberRules found;
  SP_TRY(found.minimum, number_at(site, "minimum"));
  SP_TRY(found.exclusive_minimum, number_at(site, "exclusiveMinimum"));
  SP_TRY(found.maximum, number_at(site, "maximum"));
  SP_TRY(found.exclusive_maximum, number_at(site, "exclusiveMaximum"));
  SP_TRY(found.multiple_of, number_at(site, "multipleOf"));
  if (found.multiple_of && compare_numbers(*found.multiple_of, Value(0)) <= 0) {
    return invalid_schema(site, "\"multipleOf\" must be greater than 0.");
  }
  if (found.minimum || found.exclusive_minimum || found.maximum || found.exclusive_maximum ||
      found.multiple_of) {
    rules(node.number) = std::move(found);
  }
  return {};
}

// A count that no value can reach is the greatest that we can hold.
Result<std::optional<std::size_t>> count_at(Site const& site, std::string_view keyword) {
  auto const* value = find(site.schema, keyword);
  if (value == nullptr) return std::optional<std::size_t>{};
  if (!is_integral(*value) || compare_numbers(*value, Value(0)) < 0) {
    return invalid_schema(site, fmt::format("\"{}\" must be an integer of at least 0.", keyword));
  }
  if (compare_numbers(*value, Value(kUnlimited)) >= 0) return std::optional{kUnlimited};
  auto const* number = value->if_double();
  return std::optional{number == nullptr ? value->to_number<std::size_t>()
                                         : static_cast<std::size_t>(*number)};
}

// Whether one of the two keywords is there; `range` then has it.
Result<bool> read_range(Site const& site, std::string_view least, std::string_view most,
                        CountRange& range) {
  SP_TRY(auto const from, count_at(site, least));
  SP_TRY(auto const to, count_at(site, most));
  range.least = from.value_or(range.least);
  range.most = to.value_or(range.most);
  return from || to;
}

Result<void> read_strings(Compiler& compiler, Site const& site, Node& node) {
  CountRange length;
  SP_TRY(auto const limited, read_range(site, "minLength", "maxLength", length));
  if (limited) rules(node.string).length = length;
  auto const* pattern = find(site.schema, "pattern");
  if (pattern == nullptr) return {};
  auto const* text = pattern->if_string();
  if (text == nullptr) return invalid_schema(site, "\"pattern\" must be a string.");
  SP_TRY(auto compiled, compiler.pattern(site, "pattern", view(*text)));
  rules(node.string).pattern.emplace(std::move(compiled));
  return {};
}

Result<void> read_arrays(Site const& site, Node& node) {
  CountRange size;
  SP_TRY(auto const limited, read_range(site, "minItems", "maxItems", size));
  if (limited) rules(node.array).size = size;
  if (auto const* unique = find(site.schema, "uniqueItems")) {
    if (!unique->is_bool()) return invalid_schema(site, "\"uniqueItems\" must be a boolean.");
    if (unique->get_bool()) rules(node.array).unique = true;
  }
  CountRange contained{.least = 1};
  SP_TRY(auto const counted, read_range(site, "minContains", "maxContains", contained));
  if (counted && node.array && node.array->contains) node.array->contained = contained;
  return {};
}

Result<std::vector<std::string>> names_in(Site const& site, Value const& value,
                                          std::string_view keyword) {
  std::vector<std::string> names;
  auto const* list = value.if_array();
  bool const valid = list != nullptr && std::all_of(list->begin(), list->end(),
                                                    [](auto const& e) { return e.is_string(); });
  if (!valid) return invalid_schema(site, fmt::format("\"{}\" must list names.", keyword));
  for (auto const& name : *list) names.emplace_back(view(name.get_string()));
  return names;
}

// `dependencies` of draft-07 has schemas as well; those are read with the applicators.
Result<void> read_dependent_names(Site const& site, std::string_view keyword, Node& node) {
  auto const* value = find(site.schema, keyword);
  if (value == nullptr) return {};
  auto const* members = value->if_object();
  if (members == nullptr) {
    return invalid_schema(site, fmt::format("\"{}\" must be an object.", keyword));
  }
  for (auto const& member : *members) {
    if (keyword == "dependencies" && !member.value().is_array()) continue;
    SP_TRY(auto names, names_in(site, member.value(), keyword));
    rules(node.object).dependent_names.push_back({std::string{member.key()}, std::move(names)});
  }
  return {};
}

std::size_t total_weight(std::vector<std::string> const& names) {
  return std::accumulate(
      names.begin(), names.end(), std::size_t{0},
      [](auto sum, auto const& name) { return sum + weight(std::string_view{name}); });
}

Result<void> read_objects(Site const& site, Node& node) {
  CountRange size;
  SP_TRY(auto const limited, read_range(site, "minProperties", "maxProperties", size));
  if (limited) rules(node.object).size = size;
  if (auto const* required = find(site.schema, "required")) {
    SP_TRY(rules(node.object).required, names_in(site, *required, "required"));
  }
  if (site.dialect != Dialect::Draft202012) {
    SP_CHECK(read_dependent_names(site, "dependencies", node));
  }
  SP_CHECK(read_dependent_names(site, "dependentRequired", node));
  if (!node.object) return {};
  auto& found = *node.object;
  found.names_weight = total_weight(found.required);
  for (auto const& [name, required] : found.dependent_names) {
    found.names_weight += weight(std::string_view{name}) + total_weight(required);
  }
  return {};
}

}  // namespace

Result<void> compile_assertions(Compiler& compiler, Site const& site, Node& node) {
  SP_CHECK(read_type(site, node));
  SP_CHECK(read_values(site, node));
  SP_CHECK(read_numbers(site, node));
  SP_CHECK(read_strings(compiler, site, node));
  SP_CHECK(read_arrays(site, node));
  return read_objects(site, node);
}

}  // namespace sallyport::json
