#include "src/json/schema/evaluation.hpp"

#include "src/json/schema/number.hpp"
#include "src/json/write.hpp"

#include <algorithm>
#include <array>

namespace sallyport::json {
namespace {

// Frames of passes(). A value of 128 levels has room for eight schemas at each, and the stack of a
// thread (8 MB) for all of them even in a build with sanitizers.
constexpr std::size_t kMaxDepth = 1024;

std::size_t child_count(Value const& value) noexcept {
  if (auto const* object = value.if_object()) return object->size();
  if (auto const* array = value.if_array()) return array->size();
  return 0;
}

Types type_of(Value const& value) noexcept {
  switch (value.kind()) {
    case boost::json::kind::null: return kNull;
    case boost::json::kind::bool_: return kBoolean;
    case boost::json::kind::object: return kObject;
    case boost::json::kind::array: return kArray;
    case boost::json::kind::string: return kString;
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
    case boost::json::kind::double_: return kNumber;
  }
  return 0;
}

std::size_t code_points(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

}  // namespace

void add_marks(Marks const& from, Marks& to) {
  for (std::size_t at = 0; at < from.size(); ++at) {
    if (from[at]) to[at] = true;
  }
}

bool Evaluation::spend(std::size_t steps) {
  if (steps_left_ < steps) gave_up_ = true;
  if (gave_up_) return false;
  steps_left_ -= steps;
  return true;
}

void Evaluation::report(PathStep const* path, std::string text) {
  if (!failure_) failure_ = Failure{path, pointer_text(path), std::move(text)};
}

bool Evaluation::passes(NodeIndex index, Spot const& spot) {
  if (!spend(1)) return false;
  if (index == kAlways) return true;
  if (index == kNever) return refuse(spot, "is not allowed");
  if (depth_ == kMaxDepth) gave_up_ = true;
  if (gave_up_) return false;
  auto const& node = program_.nodes[index];
  ScopeStep const own{spot.scope, node.resource};
  bool const same = spot.scope != nullptr && spot.scope->resource == node.resource;
  auto const* const scope = same ? spot.scope : &own;

  ++depth_;
  bool passed = false;
  if (node.unevaluated_items || node.unevaluated_properties) {
    passed = passes_with_marks(node, {spot.instance, spot.path, scope, spot.marks});
  } else {
    passed = passes_rules(node, {spot.instance, spot.path, scope, spot.marks});
  }
  --depth_;
  return passed;
}

bool Evaluation::passes_with_marks(Node const& node, Spot const& spot) {
  auto const children = child_count(spot.instance);
  if (!spend(children / 16)) return false;
  Marks seen(children);
  Spot const tracked{spot.instance, spot.path, spot.scope, &seen};
  if (!passes_rules(node, tracked) || !passes_unevaluated(node, tracked)) return false;
  if (spot.marks != nullptr) add_marks(seen, *spot.marks);
  return true;
}

bool Evaluation::passes_rules(Node const& node, Spot const& spot) {
  return passes_type(node, spot) && passes_values(node, spot) && passes_group(node, spot) &&
         (!node.applicators || passes_applicators(*node.applicators, spot));
}

bool Evaluation::passes_type(Node const& node, Spot const& spot) {
  if ((node.types & type_of(spot.instance)) != 0) return true;
  if ((node.types & kInteger) != 0 && spot.instance.is_number() && is_integral(spot.instance)) {
    return true;
  }
  return refuse(spot, "must be {}", node.types);
}

bool Evaluation::passes_values(Node const& node, Spot const& spot) {
  if (!spend(node.values_weight / 16)) return false;
  if (node.constant && !equal(*node.constant, spot.instance)) {
    return refuse(spot, "must be {}", *node.constant);
  }
  if (!node.enumeration) return true;
  auto const& allowed = *node.enumeration;
  bool const found = std::any_of(allowed.begin(), allowed.end(), [&spot](Value const& value) {
    return equal(value, spot.instance);
  });
  return found || refuse(spot, "must be one of {}", allowed);
}

bool Evaluation::passes_group(Node const& node, Spot const& spot) {
  switch (spot.instance.kind()) {
    case boost::json::kind::null:
    case boost::json::kind::bool_: return true;
    case boost::json::kind::object: return !node.object || passes_object(*node.object, spot);
    case boost::json::kind::array: return !node.array || passes_array(*node.array, spot);
    case boost::json::kind::string: return !node.string || passes_string(*node.string, spot);
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
    case boost::json::kind::double_: return !node.number || passes_number(*node.number, spot);
  }
  return true;
}

bool Evaluation::passes_number(NumberRules const& rules, Spot const& spot) {
  auto const& number = spot.instance;
  if (rules.minimum && compare_numbers(number, *rules.minimum) < 0) {
    return refuse(spot, "must be at least {}", *rules.minimum);
  }
  if (rules.exclusive_minimum && compare_numbers(number, *rules.exclusive_minimum) <= 0) {
    return refuse(spot, "must be greater than {}", *rules.exclusive_minimum);
  }
  if (rules.maximum && compare_numbers(number, *rules.maximum) > 0) {
    return refuse(spot, "must be at most {}", *rules.maximum);
  }
  if (rules.exclusive_maximum && compare_numbers(number, *rules.exclusive_maximum) >= 0) {
    return refuse(spot, "must be less than {}", *rules.exclusive_maximum);
  }
  if (rules.multiple_of && !is_multiple_of(number, *rules.multiple_of)) {
    return refuse(spot, "must be a multiple of {}", *rules.multiple_of);
  }
  return true;
}

bool Evaluation::is_found(Pattern const& pattern, std::string_view text) {
  return spend(text.size() * pattern.size() / 1024) && pattern.found_in(text);
}

bool Evaluation::passes_string(StringRules const& rules, Spot const& spot) {
  auto const text = view(spot.instance.get_string());
  if (!spend(text.size() / 64)) return false;
  if (rules.length.least > 0 || rules.length.most != kUnlimited) {
    auto const length = code_points(text);
    if (length < rules.length.least) {
      return refuse(spot, "must have at least {} characters", rules.length.least);
    }
    if (length > rules.length.most) {
      return refuse(spot, "must have at most {} characters", rules.length.most);
    }
  }
  return !rules.pattern || is_found(*rules.pattern, text) ||
         refuse(spot, "must match the pattern {}", rules.pattern->source());
}

}  // namespace sallyport::json
