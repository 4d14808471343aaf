// The compiled form of a schema: one node per subschema, keywords grouped by the type of value they
// speak about, so that a value only meets the rules that can fail for it.
#pragma once

#include "src/json/schema/pattern.hpp"
#include "src/json/value.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::json {

using NodeIndex = std::uint32_t;
constexpr NodeIndex kAlways = 0;  // the schema `true`
constexpr NodeIndex kNever = 1;   // the schema `false`

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// A set of JSON types, as bits.
using Types = std::uint8_t;
constexpr Types kNull = 1;
constexpr Types kBoolean = 2;
constexpr Types kObject = 4;
constexpr Types kArray = 8;
constexpr Types kNumber = 16;
constexpr Types kString = 32;
constexpr Types kInteger = 64;
constexpr Types kAnyType = kNull | kBoolean | kObject | kArray | kNumber | kString;

struct CountRange {
  std::size_t least{0};
  std::size_t most{kUnlimited};
};

struct NumberRules {
  std::optional<Value> minimum;
  std::optional<Value> exclusive_minimum;
  std::optional<Value> maximum;
  std::optional<Value> exclusive_maximum;
  std::optional<Value> multiple_of;
};

struct StringRules {
  CountRange length;
  std::optional<Pattern> pattern;
};

struct ArrayRules {
  CountRange size;
  bool unique{false};
  std::vector<NodeIndex> prefix;
  std::optional<NodeIndex> items;
  std::optional<NodeIndex> contains;
  CountRange contained{.least = 1};
  bool contains_marks{true};  // whether unevaluatedItems leaves out what `contains` matched
};

struct Property {
  std::string name;
  NodeIndex node{kAlways};
};

struct PatternProperty {
  Pattern pattern;
  NodeIndex node{kAlways};
};

struct DependentNames {
  std::string name;
  std::vector<std::string> required;
};

struct ObjectRules {
  CountRange size;
  std::vector<std::string> required;
  std::size_t names_weight{0};  // of `required` and `dependent_names`: what looking for them costs
  std::vector<Property> properties;  // sorted by name
  std::vector<PatternProperty> patterns;
  std::optional<NodeIndex> additional;
  std::optional<NodeIndex> names;
  std::vector<DependentNames> dependent_names;
  std::vector<Property> dependent_schemas;
};

struct DynamicReference {
  NodeIndex node{kAlways};  // where it leads if no schema on the way here says otherwise
  std::uint32_t anchor{0};  // id of the anchor's name
};

// What applies to the same value, whatever its type.
struct Applicators {
  std::vector<NodeIndex> all_of;  // `$ref` too
  std::vector<DynamicReference> dynamic_references;
  std::vector<NodeIndex> any_of;
  std::vector<NodeIndex> one_of;
  std::optional<NodeIndex> negated;
  std::optional<NodeIndex> condition;
  NodeIndex consequence{kAlways};
  NodeIndex alternative{kAlways};
};

struct Node {
  std::uint32_t resource{0};
  Types types{kAnyType};
  std::optional<Value> constant;
  std::optional<std::vector<Value>> enumeration;
  std::size_t values_weight{0};  // of `constant` and `enumeration`: what a comparison may cost
  std::unique_ptr<NumberRules> number;
  std::unique_ptr<StringRules> string;
  std::unique_ptr<ArrayRules> array;
  std::unique_ptr<ObjectRules> object;
  std::unique_ptr<Applicators> applicators;
  std::optional<NodeIndex> unevaluated_items;
  std::optional<NodeIndex> unevaluated_properties;
};

struct ResourceAnchor {
  std::uint32_t anchor{0};
  NodeIndex node{kAlways};
};

struct Program {
  std::vector<Node> nodes;
  std::vector<std::vector<ResourceAnchor>> anchors;  // dynamic ones, by resource
  NodeIndex root{kAlways};
};

}  // namespace sallyport::json
