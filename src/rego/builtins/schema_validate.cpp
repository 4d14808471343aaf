#include "src/rego/big_integer.hpp"
#include "src/rego/builtins/number_operands.hpp"
#include "src/rego/builtins/regex_engine.hpp"
#include "src/rego/builtins/runes.hpp"
#include "src/rego/builtins/schema.hpp"
#include "src/rego/builtins/schema_format.hpp"
#include "src/rego/decimal.hpp"
#include "src/rego/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace sallyport::rego::builtins {
namespace {

// What is wrong with a piece of a document by one schema. Of several schemas of which none fits,
// the one with the highest score came nearest.
struct Findings {
  std::vector<SchemaError> errors;
  int score{0};

  bool is_valid() const { return errors.empty(); }
  void merge(Findings&& other) {
    std::ranges::move(other.errors, std::back_inserter(errors));
    score += other.score;
  }
};

// Where in the document: a list from the inside out.
struct Place {
  std::string_view name;
  Place const* outer{nullptr};

  std::string text() const {
    if (outer == nullptr) return std::string{name};
    auto result = outer->outer == nullptr ? std::string{} : outer->text() + ".";
    return result.append(name);
  }
};

bool is_list(Value value) {
  return value.is(Kind::Array) || value.is(Kind::Set);
}

std::string_view type_of(Value value) {
  if (value.is(Kind::Number)) return is_integer(value) ? "integer" : "number";
  return value.is(Kind::Set) ? "array" : name_of(value.kind());
}

bool allows(std::span<Value const> types, Value value) {
  auto const type = type_of(value);
  return std::ranges::any_of(types, [&](Value allowed) {
    return allowed.as_string() == type || (type == "integer" && allowed.as_string() == "number");
  });
}

std::string text_of_types(std::span<Value const> types) {
  if (types.size() == 1) return std::string{types.front().as_string()};
  std::string text = "[";
  for (auto const type : types) {
    if (text.size() > 1) text += ',';
    text += type.as_string();
  }
  return text + ']';
}

// As Go writes a big float by default: an exponent from a million on.
std::string text_of_bound(Value number) {
  auto const value = to_float(number);
  char room[64];
  auto end = std::to_chars(room, room + sizeof room, value, std::chars_format::scientific).ptr;
  std::string_view const written{room, static_cast<std::size_t>(end - room)};
  auto const exponent = to_decimal(written).magnitude - 1;
  if (value != 0 && (exponent < -4 || exponent >= 6)) return std::string{written};
  end = std::to_chars(room, room + sizeof room, value, std::chars_format::fixed).ptr;
  return {room, end};
}

// Exactly, whatever the fractions.
bool is_multiple(Value number, Value of) {
  IntegerText our_room;    // NOLINT(cppcoreguidelines-pro-type-member-init)
  IntegerText their_room;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  auto const ours = to_decimal(number, our_room);
  auto const theirs = to_decimal(of, their_room);
  if (ours.is_zero()) return true;
  auto const exponent = [](Decimal const& decimal) {
    return decimal.magnitude - static_cast<std::int64_t>(decimal.count);
  };
  auto const least = std::min(exponent(ours), exponent(theirs));
  auto const scaled = [&](Decimal const& decimal) {
    std::string digits;
    std::ranges::copy_if(decimal.digits, std::back_inserter(digits),
                         [](char byte) { return byte != '.'; });
    digits.append(static_cast<std::size_t>(exponent(decimal) - least), '0');
    return BigInteger{digits};
  };
  return scaled(ours) % scaled(theirs) == 0;
}

class Validation {
 public:
  Validation(BuiltinCall& call, Value root) : call_{call}, root_{root} {}

  Findings run(Value schema, Value value, Place const& place);

 private:
  bool go_on(Value value);
  void add(Findings& to, Place const& place, std::string_view type, std::string description) {
    to.errors.push_back({std::string{type}, place.text(), std::move(description)});
    to.score -= 2;
  }

  void combinations(Findings& to, Value schema, Value value, Place const& place);
  void any_of(Findings& to, Value schemas, Value value, Place const& place);
  void one_of(Findings& to, Value schemas, Value value, Place const& place);
  void all_of(Findings& to, Value schemas, Value value, Place const& place);
  void dependencies(Findings& to, Value listed, Value value, Place const& place);
  void conditions(Findings& to, Value schema, Value value, Place const& place);
  void number(Findings& to, Value schema, Value value, Place const& place);
  void array(Findings& to, Value schema, Value value, Place const& place);
  void items(Findings& to, Value schema, std::span<Value const> items, Place const& place);
  void unique(Findings& to, std::span<Value const> items, Place const& place);
  void contains(Findings& to, Value schema, std::span<Value const> items, Place const& place);
  void object(Findings& to, Value schema, Value value, Place const& place);
  void property(Findings& to, Value schema, Entry const& entry, Place const& place);
  void common(Findings& to, Value schema, Value value, Place const& place);
  void string(Findings& to, Value schema, Value value, Place const& place);
  bool matches(std::string_view pattern, std::string_view text);
  Findings at_index(Value schema, std::span<Value const> items, std::size_t index,
                    Place const& place);

  BuiltinCall& call_;
  Value root_;
  int depth_{0};
};

// False where the budget has ended, or schemas refer to each other without end: what has been found
// is then worth nothing.
bool Validation::go_on(Value value) {
  if (call_.error != BuiltinErrc::None) return false;
  if (depth_ > kDeepestSchema) {
    call_.halt("the schema refers to itself without end");
    return false;
  }
  if (!call_.budget.charge(2 + value.size() / 4)) stopped(call_);
  return call_.error == BuiltinErrc::None;
}

Findings Validation::run(Value schema, Value value, Place const& place) {
  Findings found;
  if (schema.is_true()) return found;
  if (schema.is_false()) {
    add(found, place, "false", "False always fails validation");
    return found;
  }
  if (!go_on(value)) return found;
  ++depth_;
  if (auto const reference = get(schema, "$ref"); reference.is_defined()) {
    std::string error;
    found = run(find_reference(root_, reference.as_string(), error), value, place);
    --depth_;
    return found;
  }
  auto const type = get(schema, "type");
  auto const types = is_list(type) ? type.items() : std::span<Value const>{&type, 1};
  if (type.is_defined() && !types.empty() && !allows(types, value)) {
    add(found, place, "invalid_type",
        fmt::format("Invalid type. Expected: {}, given: {}", text_of_types(types), type_of(value)));
    --depth_;
    return found;
  }
  combinations(found, schema, value, place);
  if (value.is(Kind::Number)) number(found, schema, value, place);
  if (is_list(value)) array(found, schema, value, place);
  if (value.is(Kind::Object)) object(found, schema, value, place);
  common(found, schema, value, place);
  if (value.is(Kind::String)) string(found, schema, value, place);
  if (auto const properties = get(schema, "properties");
      value.is(Kind::Object) && properties.is_defined()) {
    for (auto const& [name, nested] : properties.entries()) {
      auto const member = get(value, name);
      if (member.is_defined()) found.merge(run(nested, member, {name.as_string(), &place}));
    }
  }
  ++found.score;
  --depth_;
  return found;
}

void Validation::any_of(Findings& to, Value schemas, Value value, Place const& place) {
  Findings best;
  bool first = true;
  for (auto const schema : schemas.items()) {
    auto found = run(schema, value, place);
    if (found.is_valid()) return;
    if (first || found.score > best.score) best = std::move(found);
    first = false;
  }
  if (first) return;
  add(to, place, "number_any_of", "Must validate at least one schema (anyOf)");
  to.merge(std::move(best));
}

void Validation::one_of(Findings& to, Value schemas, Value value, Place const& place) {
  Findings best;
  bool first = true;
  int valid = 0;
  for (auto const schema : schemas.items()) {
    auto found = run(schema, value, place);
    if (found.is_valid()) {
      ++valid;
    } else if (valid == 0 && (first || found.score > best.score)) {
      best = std::move(found);
      first = false;
    }
  }
  if (valid == 1 || schemas.size() == 0) return;
  add(to, place, "number_one_of", "Must validate one and only one schema (oneOf)");
  if (valid == 0) to.merge(std::move(best));
}

void Validation::all_of(Findings& to, Value schemas, Value value, Place const& place) {
  bool valid = true;
  for (auto const schema : schemas.items()) {
    auto found = run(schema, value, place);
    valid = valid && found.is_valid();
    to.merge(std::move(found));
  }
  if (!valid) add(to, place, "number_all_of", "Must validate all the schemas (allOf)");
}

void Validation::dependencies(Findings& to, Value listed, Value value, Place const& place) {
  for (auto const& entry : value.entries()) {
    auto const dependency = get(listed, entry.key);
    if (!dependency.is_defined()) continue;
    if (!is_list(dependency)) {
      to.merge(run(dependency, value, place));
      continue;
    }
    for (auto const name : dependency.items()) {
      if (get(value, name).is_defined()) continue;
      add(to, place, "missing_dependency", fmt::format("Has a dependency on {}", name.as_string()));
    }
  }
}

void Validation::conditions(Findings& to, Value schema, Value value, Place const& place) {
  auto const condition = get(schema, "if");
  if (!condition.is_defined()) return;
  bool const holds = run(condition, value, place).is_valid();
  auto const consequence = get(schema, holds ? "then" : "else");
  if (!consequence.is_defined()) return;
  auto found = run(consequence, value, place);
  if (found.is_valid()) return;
  if (holds) {
    add(to, place, "condition_then", R"(Must validate "then" as "if" was valid)");
  } else {
    add(to, place, "condition_else", R"(Must validate "else" as "if" was not valid)");
  }
  to.merge(std::move(found));
}

void Validation::combinations(Findings& to, Value schema, Value value, Place const& place) {
  if (auto const any = get(schema, "anyOf"); any.is_defined()) any_of(to, any, value, place);
  if (auto const one = get(schema, "oneOf"); one.is_defined()) one_of(to, one, value, place);
  if (auto const all = get(schema, "allOf"); all.is_defined()) all_of(to, all, value, place);
  if (auto const no = get(schema, "not"); no.is_defined() && run(no, value, place).is_valid()) {
    add(to, place, "number_not", "Must not validate the schema (not)");
  }
  if (auto const listed = get(schema, "dependencies");
      listed.is_defined() && value.is(Kind::Object)) {
    dependencies(to, listed, value, place);
  }
  conditions(to, schema, value, place);
  ++to.score;
}

void Validation::number(Findings& to, Value schema, Value value, Place const& place) {
  auto const multiple = get(schema, "multipleOf");
  if (multiple.is_defined() && charge_digits(call_, value, multiple) &&
      !is_multiple(value, multiple)) {
    add(to, place, "multiple_of", "Must be a multiple of " + text_of_bound(multiple));
  }
  auto most = get(schema, "maximum");
  auto below = get(schema, "exclusiveMaximum");
  if (below.is_true()) below = std::exchange(most, Value{});  // draft 4
  if (most.is_defined() && compare(value, most) > 0) {
    add(to, place, "number_lte", "Must be less than or equal to " + text_of_bound(most));
  }
  if (below.is(Kind::Number) && compare(value, below) >= 0) {
    add(to, place, "number_lt", "Must be less than " + text_of_bound(below));
  }
  auto least = get(schema, "minimum");
  auto above = get(schema, "exclusiveMinimum");
  if (above.is_true()) above = std::exchange(least, Value{});
  if (least.is_defined() && compare(value, least) < 0) {
    add(to, place, "number_gte", "Must be greater than or equal to " + text_of_bound(least));
  }
  if (above.is(Kind::Number) && compare(value, above) <= 0) {
    add(to, place, "number_gt", "Must be greater than " + text_of_bound(above));
  }
  ++to.score;
}

Findings Validation::at_index(Value schema, std::span<Value const> items, std::size_t index,
                              Place const& place) {
  auto const name = std::to_string(index);
  return run(schema, items[index], {name, &place});
}

void Validation::items(Findings& to, Value schema, std::span<Value const> items,
                       Place const& place) {
  auto const listed = get(schema, "items");
  if (!listed.is_defined()) return;
  if (!is_list(listed)) {
    for (std::size_t at = 0; at < items.size(); ++at) {
      to.merge(at_index(listed, items, at, place));
    }
    return;
  }
  auto const schemas = listed.items();
  if (schemas.empty()) return;
  for (std::size_t at = 0; at < std::min(schemas.size(), items.size()); ++at) {
    to.merge(at_index(schemas[at], items, at, place));
  }
  auto const additional = get(schema, "additionalItems");
  if (items.size() <= schemas.size() || !additional.is_defined()) return;
  if (additional.is_false()) {
    add(to, place, "array_no_additional_items", "No additional items allowed on array");
    return;
  }
  for (auto at = schemas.size(); at < items.size(); ++at) {
    to.merge(at_index(additional, items, at, place));
  }
}

void Validation::unique(Findings& to, std::span<Value const> items, Place const& place) {
  std::unordered_multimap<std::uint64_t, std::size_t> seen;
  for (std::size_t at = 0; at < items.size(); ++at) {
    auto const [begin, end] = seen.equal_range(hash(items[at]));
    auto const same = std::find_if(
        begin, end, [&](auto const& entry) { return equal(items[entry.second], items[at]); });
    if (same == end) {
      seen.emplace(hash(items[at]), at);
      continue;
    }
    add(to, place, "unique", fmt::format("array items[{},{}] must be unique", same->second, at));
    same->second = at;
  }
}

void Validation::contains(Findings& to, Value schema, std::span<Value const> items,
                          Place const& place) {
  Findings best;
  for (std::size_t at = 0; at < items.size(); ++at) {
    auto found = at_index(schema, items, at, place);
    if (found.is_valid()) return;
    if (at == 0 || found.score > best.score) best = std::move(found);
  }
  add(to, place, "contains", "At least one of the items must match");
  to.merge(std::move(best));
}

void Validation::array(Findings& to, Value schema, Value value, Place const& place) {
  auto const list = value.items();
  items(to, schema, list, place);
  auto const size = Value::integer(value.size());
  if (auto const least = get(schema, "minItems"); least.is_defined() && compare(size, least) < 0) {
    add(to, place, "array_min_items",
        fmt::format("Array must have at least {} items", to_json(least)));
  }
  if (auto const most = get(schema, "maxItems"); most.is_defined() && compare(size, most) > 0) {
    add(to, place, "array_max_items",
        fmt::format("Array must have at most {} items", to_json(most)));
  }
  if (get(schema, "uniqueItems").is_true()) unique(to, list, place);
  if (auto const wanted = get(schema, "contains"); wanted.is_defined()) {
    contains(to, wanted, list, place);
  }
  ++to.score;
}

bool Validation::matches(std::string_view pattern, std::string_view text) {
  std::string error;
  if (!charge_bytes(call_, text.size()) || !call_.budget.charge(1 + pattern.size() / 4)) {
    stopped(call_);
    return true;
  }
  auto const regex = Regex::compile(pattern, error);
  return regex != nullptr && regex->matches(text);
}

void Validation::property(Findings& to, Value schema, Entry const& entry, Place const& place) {
  auto const name = entry.key.is(Kind::String) ? entry.key.as_string() : std::string_view{};
  bool const is_listed = get(get(schema, "properties"), entry.key).is_defined();
  bool has_pattern = false;
  if (auto const patterns = get(schema, "patternProperties"); patterns.is_defined()) {
    for (auto const& [pattern, nested] : patterns.entries()) {
      if (!matches(pattern.as_string(), name)) continue;
      has_pattern = true;
      to.merge(run(nested, entry.value, {name, &place}));
    }
  }
  if (has_pattern) ++to.score;
  auto const additional = get(schema, "additionalProperties");
  if (is_listed || has_pattern || !additional.is_defined()) return;
  if (additional.is_false()) {
    add(to, place, "additional_property_not_allowed",
        fmt::format("Additional property {} is not allowed", name));
  } else {
    to.merge(run(additional, entry.value, {name, &place}));
  }
}

void Validation::object(Findings& to, Value schema, Value value, Place const& place) {
  auto const size = Value::integer(value.size());
  if (auto const least = get(schema, "minProperties");
      least.is_defined() && compare(size, least) < 0) {
    add(to, place, "array_min_properties",
        fmt::format("Must have at least {} properties", to_json(least)));
  }
  if (auto const most = get(schema, "maxProperties");
      most.is_defined() && compare(size, most) > 0) {
    add(to, place, "array_max_properties",
        fmt::format("Must have at most {} properties", to_json(most)));
  }
  if (auto const required = get(schema, "required"); required.is_defined()) {
    for (auto const name : required.items()) {
      if (get(value, name).is_defined()) {
        ++to.score;
      } else {
        add(to, place, "required", fmt::format("{} is required", name.as_string()));
      }
    }
  }
  for (auto const& entry : value.entries()) property(to, schema, entry, place);
  if (auto const names = get(schema, "propertyNames"); names.is_defined()) {
    for (auto const& entry : value.entries()) {
      auto found = run(names, entry.key, place);
      if (found.is_valid()) continue;
      add(to, place, "invalid_property_name",
          fmt::format("Property name of \"{}\" does not match", entry.key.as_string()));
      to.merge(std::move(found));
    }
  }
  ++to.score;
}

void Validation::common(Findings& to, Value schema, Value value, Place const& place) {
  if (auto const wanted = get(schema, "const"); wanted.is_defined() && !equal(wanted, value)) {
    add(to, place, "const", fmt::format("{} does not match: {}", place.text(), to_json(wanted)));
  }
  if (auto const allowed = get(schema, "enum"); allowed.is_defined()) {
    auto const items = allowed.items();
    if (std::ranges::none_of(items, [&](Value item) { return equal(item, value); })) {
      std::string list;
      for (auto const item : items) {
        if (!list.empty()) list += ", ";
        list += to_json(item);
      }
      add(to, place, "enum",
          fmt::format("{} must be one of the following: {}", place.text(), list));
    }
  }
  if (auto const format = get(schema, "format");
      format.is(Kind::String) && value.is(Kind::String) &&
      !has_format(format.as_string(), value.as_string())) {
    add(to, place, "format", fmt::format("Does not match format '{}'", format.as_string()));
  }
  ++to.score;
}

void Validation::string(Findings& to, Value schema, Value value, Place const& place) {
  auto const text = value.as_string();
  auto const least = get(schema, "minLength");
  auto const most = get(schema, "maxLength");
  if (least.is_defined() || most.is_defined()) {
    auto const length = Value::integer(static_cast<std::int64_t>(count_runes(text)));
    if (least.is_defined() && compare(length, least) < 0) {
      add(to, place, "string_gte",
          fmt::format("String length must be greater than or equal to {}", to_json(least)));
    }
    if (most.is_defined() && compare(length, most) > 0) {
      add(to, place, "string_lte",
          fmt::format("String length must be less than or equal to {}", to_json(most)));
    }
  }
  if (auto const pattern = get(schema, "pattern");
      pattern.is_defined() && !matches(pattern.as_string(), text)) {
    add(to, place, "pattern", fmt::format("Does not match pattern '{}'", pattern.as_string()));
  }
  ++to.score;
}

}  // namespace

std::vector<SchemaError> validate(BuiltinCall& call, Value schema, Value document) {
  return Validation{call, schema}.run(schema, document, {"(Root)"}).errors;
}

}  // namespace sallyport::rego::builtins
