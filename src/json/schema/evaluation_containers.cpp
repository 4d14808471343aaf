// The rules for arrays and objects, and what is left over for unevaluated*.
#include "src/json/schema/evaluation.hpp"
#include "src/json/schema/number.hpp"
#include "src/json/write.hpp"

#include <algorithm>

namespace sallyport::json {
namespace {

PathStep element_path(Spot const& spot, std::size_t index) {
  return {.parent = spot.path, .index = index, .is_index = true};
}

PathStep member_path(Spot const& spot, boost::json::string_view name) {
  return {.parent = spot.path, .name = {name.data(), name.size()}};
}

void mark(Spot const& spot, std::size_t position) {
  if (spot.marks != nullptr) (*spot.marks)[position] = true;
}

bool all_differ_pairwise(Array const& array) {
  for (auto left = array.begin(); left != array.end(); ++left) {
    if (std::any_of(left + 1, array.end(),
                    [left](Value const& right) { return equal(*left, right); })) {
      return false;
    }
  }
  return true;
}

// Equal values have equal canonical texts. Sorted rather than hashed: nobody can choose values that
// make it slow.
bool all_differ_sorted(Array const& array) {
  std::vector<std::string> texts;
  texts.reserve(array.size());
  for (auto const& element : array) texts.push_back(canonical(element));
  std::sort(texts.begin(), texts.end());
  return std::adjacent_find(texts.begin(), texts.end()) == texts.end();
}

}  // namespace

bool Evaluation::passes_array(ArrayRules const& rules, Spot const& spot) {
  auto const size = spot.instance.get_array().size();
  if (size < rules.size.least) return refuse(spot, "must have at least {} items", rules.size.least);
  if (size > rules.size.most) return refuse(spot, "must have at most {} items", rules.size.most);
  return passes_items(rules, spot) &&
         (!rules.contains || passes_contains(rules, *rules.contains, spot)) &&
         (!rules.unique || passes_unique(spot));
}

bool Evaluation::passes_unique(Spot const& spot) {
  constexpr std::size_t kPairwise = 16;
  auto const& array = spot.instance.get_array();
  if (!spend(weight(spot.instance))) return false;
  bool const differ =
      array.size() <= kPairwise ? all_differ_pairwise(array) : all_differ_sorted(array);
  return differ || refuse(spot, "must not have equal items");
}

bool Evaluation::passes_items(ArrayRules const& rules, Spot const& spot) {
  auto const& array = spot.instance.get_array();
  auto const end = rules.items ? array.size() : std::min(array.size(), rules.prefix.size());
  auto const rest = rules.items.value_or(kAlways);
  for (std::size_t at = 0; at < end; ++at) {
    auto const node = at < rules.prefix.size() ? rules.prefix[at] : rest;
    auto const path = element_path(spot, at);
    if (!passes(node, {array[at], &path, spot.scope})) return false;
    mark(spot, at);
  }
  return true;
}

bool Evaluation::passes_contains(ArrayRules const& rules, NodeIndex wanted, Spot const& spot) {
  auto const& array = spot.instance.get_array();
  bool const needs_all =
      rules.contained.most != kUnlimited || (spot.marks != nullptr && rules.contains_marks);
  std::size_t found = 0;
  for (std::size_t at = 0; at < array.size(); ++at) {
    if (found >= rules.contained.least && !needs_all) break;
    if (gave_up_) return false;
    auto const path = element_path(spot, at);
    if (!matches_quietly(wanted, {array[at], &path, spot.scope})) continue;
    ++found;
    if (rules.contains_marks) mark(spot, at);
  }
  if (found < rules.contained.least) {
    return refuse(spot, "must contain at least {} item(s) that match", rules.contained.least);
  }
  return found <= rules.contained.most ||
         refuse(spot, "must contain at most {} item(s) that match", rules.contained.most);
}

bool Evaluation::passes_object(ObjectRules const& rules, Spot const& spot) {
  auto const& object = spot.instance.get_object();
  if (!spend(rules.names_weight / 4)) return false;
  for (auto const& name : rules.required) {
    if (!object.contains(name)) return refuse(spot, "must have the property {}", name);
  }
  if (object.size() < rules.size.least) {
    return refuse(spot, "must have at least {} properties", rules.size.least);
  }
  if (object.size() > rules.size.most) {
    return refuse(spot, "must have at most {} properties", rules.size.most);
  }
  return (!rules.names || passes_names(*rules.names, spot)) && passes_members(rules, spot) &&
         passes_dependencies(rules, spot);
}

bool Evaluation::passes_names(NodeIndex names, Spot const& spot) {
  for (auto const& member : spot.instance.get_object()) {
    Value const name(member.key());
    auto const path = member_path(spot, member.key());
    if (matches_quietly(names, {name, &path, spot.scope})) continue;
    Spot const at{spot.instance, &path};
    return refuse(at, "is not a valid property name");
  }
  return true;
}

bool Evaluation::passes_members(ObjectRules const& rules, Spot const& spot) {
  if (rules.properties.empty() && rules.patterns.empty() && !rules.additional) return true;
  auto const size = spot.instance.get_object().size();
  for (std::size_t position = 0; position < size; ++position) {
    if (!passes_member(rules, spot, position)) return false;
  }
  return true;
}

bool Evaluation::passes_member(ObjectRules const& rules, Spot const& spot, std::size_t position) {
  auto const& member = spot.instance.get_object().begin()[position];
  auto const path = member_path(spot, member.key());
  Spot const inner{member.value(), &path, spot.scope};
  auto const name = path.name;

  bool known = false;
  auto const property = std::lower_bound(
      rules.properties.begin(), rules.properties.end(), name,
      [](Property const& entry, std::string_view wanted) { return entry.name < wanted; });
  if (property != rules.properties.end() && property->name == name) {
    known = true;
    if (!passes(property->node, inner)) return false;
  }
  for (auto const& [pattern, node] : rules.patterns) {
    if (!spend(1)) return false;
    if (!is_found(pattern, name)) continue;
    known = true;
    if (!passes(node, inner)) return false;
  }
  if (!known && rules.additional) {
    if (*rules.additional == kNever) return refuse(inner, "is not a known property");
    if (!passes(*rules.additional, inner)) return false;
    known = true;
  }
  if (known) mark(spot, position);
  return spend(weight(name));
}

bool Evaluation::passes_dependencies(ObjectRules const& rules, Spot const& spot) {
  auto const& object = spot.instance.get_object();
  for (auto const& [name, required] : rules.dependent_names) {
    if (!object.contains(name)) continue;
    for (auto const& other : required) {
      if (!object.contains(other)) {
        return refuse(spot, "must have the property {} because it has {}", other, name);
      }
    }
  }
  return std::all_of(rules.dependent_schemas.begin(), rules.dependent_schemas.end(),
                     [this, &object, &spot](Property const& dependent) {
                       return !object.contains(dependent.name) || passes(dependent.node, spot);
                     });
}

bool Evaluation::passes_unevaluated(Node const& node, Spot const& spot) {
  auto& marks = *spot.marks;
  auto const* array = spot.instance.if_array();
  if (array != nullptr && node.unevaluated_items) {
    for (std::size_t at = 0; at < array->size(); ++at) {
      auto const path = element_path(spot, at);
      if (!marks[at] && !passes(*node.unevaluated_items, {(*array)[at], &path, spot.scope})) {
        return false;
      }
      marks[at] = true;
    }
  }
  auto const* object = spot.instance.if_object();
  if (object != nullptr && node.unevaluated_properties) {
    for (std::size_t at = 0; at < object->size(); ++at) {
      auto const& member = object->begin()[at];
      auto const path = member_path(spot, member.key());
      if (!marks[at] &&
          !passes(*node.unevaluated_properties, {member.value(), &path, spot.scope})) {
        return false;
      }
      marks[at] = true;
    }
  }
  return true;
}

}  // namespace sallyport::json
