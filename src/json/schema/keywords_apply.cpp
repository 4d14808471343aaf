// The applicators: keywords that hand a value, or parts of it, to other schemas.
#include "src/json/schema/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::json {
namespace {

using OptionalNode = std::optional<NodeIndex>;

Result<OptionalNode> schema_at(Compiler& compiler, Site const& site, std::string_view keyword) {
  auto const* value = find(site.schema, keyword);
  if (value == nullptr) return OptionalNode{};
  SP_TRY(auto const node, compiler.subschema(site, *value, keyword));
  return OptionalNode{node};
}

Result<String const*> reference_at(Site const& site, std::string_view keyword) {
  auto const* value = find(site.schema, keyword);
  if (value == nullptr) return static_cast<String const*>(nullptr);
  auto const* text = value->if_string();
  if (text == nullptr)
    return invalid_schema(site, fmt::format("\"{}\" must be a string.", keyword));
  return text;
}

Result<void> read_references(Compiler& compiler, Site const& site, Node& node) {
  SP_TRY(auto const* reference, reference_at(site, "$ref"));
  if (reference != nullptr) {
    SP_TRY(auto const target, compiler.reference(site, view(*reference)));
    rules(node.applicators).all_of.push_back(target);
  }
  if (site.dialect == Dialect::Draft201909 && site.schema.contains("$recursiveRef")) {
    SP_CHECK(compiler.recursive_reference(site, rules(node.applicators)));
  }
  if (site.dialect != Dialect::Draft202012) return {};
  SP_TRY(auto const* dynamic, reference_at(site, "$dynamicRef"));
  if (dynamic == nullptr) return {};
  return compiler.dynamic_reference(site, view(*dynamic), rules(node.applicators));
}

Result<void> read_combinations(Compiler& compiler, Site const& site, Node& node) {
  if (auto const* list = find(site.schema, "allOf")) {
    SP_TRY(auto const nodes, compiler.subschemas(site, *list, "allOf"));
    auto& all = rules(node.applicators).all_of;
    all.insert(all.end(), nodes.begin(), nodes.end());
  }
  if (auto const* list = find(site.schema, "anyOf")) {
    SP_TRY(rules(node.applicators).any_of, compiler.subschemas(site, *list, "anyOf"));
  }
  if (auto const* list = find(site.schema, "oneOf")) {
    SP_TRY(rules(node.applicators).one_of, compiler.subschemas(site, *list, "oneOf"));
  }
  SP_TRY(auto const negated, schema_at(compiler, site, "not"));
  if (negated) rules(node.applicators).negated = negated;
  return {};
}

Result<void> read_condition(Compiler& compiler, Site const& site, Node& node) {
  SP_TRY(auto const condition, schema_at(compiler, site, "if"));
  SP_TRY(auto const consequence, schema_at(compiler, site, "then"));
  SP_TRY(auto const alternative, schema_at(compiler, site, "else"));
  if (!condition) return {};
  auto& found = rules(node.applicators);
  found.condition = condition;
  found.consequence = consequence.value_or(kAlways);
  found.alternative = alternative.value_or(kAlways);
  return {};
}

enum class Lists { Skip, Refuse };

// The members of `keyword` as name and node. A list among them is one of names (`dependencies`).
Result<std::vector<Property>> schemas_by_name(Compiler& compiler, Site const& site,
                                              std::string_view keyword, Lists lists) {
  std::vector<Property> properties;
  auto const* value = find(site.schema, keyword);
  if (value == nullptr) return properties;
  auto const* members = value->if_object();
  if (members == nullptr) {
    return invalid_schema(site, fmt::format("\"{}\" must be an object.", keyword));
  }
  for (auto const& member : *members) {
    if (lists == Lists::Skip && member.value().is_array()) continue;
    std::string name{member.key()};
    SP_TRY(auto const node,
           compiler.subschema(site, member.value(), fmt::format("{}/{}", keyword, name)));
    properties.push_back({std::move(name), node});
  }
  return properties;
}

Result<void> read_patterns(Compiler& compiler, Site const& site, Node& node) {
  SP_TRY(auto const found, schemas_by_name(compiler, site, "patternProperties", Lists::Refuse));
  for (auto const& [expression, subschema] : found) {
    SP_TRY(auto pattern, compiler.pattern(site, "patternProperties", expression));
    rules(node.object).patterns.push_back({std::move(pattern), subschema});
  }
  return {};
}

Result<void> read_dependent_schemas(Compiler& compiler, Site const& site, Node& node) {
  SP_TRY(auto found, schemas_by_name(compiler, site, "dependentSchemas", Lists::Refuse));
  if (site.dialect != Dialect::Draft202012) {
    SP_TRY(auto older, schemas_by_name(compiler, site, "dependencies", Lists::Skip));
    std::move(older.begin(), older.end(), std::back_inserter(found));
  }
  if (!found.empty()) rules(node.object).dependent_schemas = std::move(found);
  return {};
}

// 2019-09 and before: a list in "items" is what is now "prefixItems", "additionalItems" what is now
// "items".
Result<void> read_items(Compiler& compiler, Site const& site, Node& node) {
  auto const* items = find(site.schema, "items");
  bool const older = site.dialect != Dialect::Draft202012;
  bool const positional = older && items != nullptr && items->is_array();
  auto const* prefix = positional ? items : find(site.schema, "prefixItems");
  if (older && !positional) prefix = nullptr;
  if (prefix != nullptr && !(positional && items->get_array().empty())) {
    SP_TRY(rules(node.array).prefix,
           compiler.subschemas(site, *prefix, positional ? "items" : "prefixItems"));
  }
  SP_TRY(auto const rest, schema_at(compiler, site, positional ? "additionalItems" : "items"));
  if (rest) rules(node.array).items = rest;
  return {};
}

}  // namespace

Result<void> compile_applicators(Compiler& compiler, Site const& site, Node& node) {
  SP_CHECK(read_references(compiler, site, node));
  if (site.dialect == Dialect::Draft07 && site.schema.contains("$ref")) return {};
  SP_CHECK(read_combinations(compiler, site, node));
  return read_condition(compiler, site, node);
}

Result<void> compile_array_applicators(Compiler& compiler, Site const& site, Node& node) {
  SP_CHECK(read_items(compiler, site, node));
  SP_TRY(auto const contains, schema_at(compiler, site, "contains"));
  if (contains) {
    rules(node.array).contains = contains;
    node.array->contains_marks = site.dialect == Dialect::Draft202012;
  }
  if (site.dialect == Dialect::Draft07) return {};
  SP_TRY(node.unevaluated_items, schema_at(compiler, site, "unevaluatedItems"));
  return {};
}

Result<void> compile_object_applicators(Compiler& compiler, Site const& site, Node& node) {
  SP_TRY(auto properties, schemas_by_name(compiler, site, "properties", Lists::Refuse));
  if (!properties.empty()) {
    std::sort(properties.begin(), properties.end(),
              [](auto const& left, auto const& right) { return left.name < right.name; });
    rules(node.object).properties = std::move(properties);
  }
  SP_CHECK(read_patterns(compiler, site, node));
  SP_CHECK(read_dependent_schemas(compiler, site, node));
  SP_TRY(auto const additional, schema_at(compiler, site, "additionalProperties"));
  if (additional) rules(node.object).additional = additional;
  SP_TRY(auto const names, schema_at(compiler, site, "propertyNames"));
  if (names) rules(node.object).names = names;
  if (site.dialect == Dialect::Draft07) return {};
  SP_TRY(node.unevaluated_properties, schema_at(compiler, site, "unevaluatedProperties"));
  return {};
}

}  // namespace sallyport::json
