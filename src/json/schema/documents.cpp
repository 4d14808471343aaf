#include "src/json/schema/documents.hpp"

#include "src/json/schema/meta_schema.hpp"
#include "src/json/schema/uri.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace sallyport::json {
namespace {

// How subschemas sit in the value of a keyword.
enum class Holds { Schema, SchemaOrList, List, Map };

struct Keyword {
  std::string_view name;
  Holds holds;
};
// An `$id` or `$anchor` anywhere else (in a `const`, in an unknown keyword) is plain data.
constexpr std::array kSubschemas{
    Keyword{"$defs", Holds::Map},
    Keyword{"definitions", Holds::Map},
    Keyword{"properties", Holds::Map},
    Keyword{"patternProperties", Holds::Map},
    Keyword{"dependentSchemas", Holds::Map},
    Keyword{"dependencies", Holds::Map},
    Keyword{"allOf", Holds::List},
    Keyword{"anyOf", Holds::List},
    Keyword{"oneOf", Holds::List},
    Keyword{"prefixItems", Holds::List},
    Keyword{"items", Holds::SchemaOrList},
    Keyword{"additionalItems", Holds::Schema},
    Keyword{"unevaluatedItems", Holds::Schema},
    Keyword{"contains", Holds::Schema},
    Keyword{"additionalProperties", Holds::Schema},
    Keyword{"unevaluatedProperties", Holds::Schema},
    Keyword{"propertyNames", Holds::Schema},
    Keyword{"if", Holds::Schema},
    Keyword{"then", Holds::Schema},
    Keyword{"else", Holds::Schema},
    Keyword{"not", Holds::Schema},
    Keyword{"contentSchema", Holds::Schema},
};

Error invalid(std::string message) {
  return fail(Errc::InvalidInput, std::move(message));
}

// Each of many small schemas would otherwise multiply one long `$id`.
Result<std::string> resolve_bounded(std::string_view base, std::string_view reference) {
  constexpr std::size_t kLongest = 4096;
  if (base.size() + reference.size() > kLongest) return invalid("A URI in the schema is too long.");
  return resolve_uri(base, reference);
}

Value const* step_into(Value const& value, std::string_view token) {
  if (auto const* object = value.if_object()) return object->if_contains(token);
  auto const* array = value.if_array();
  std::size_t index{0};
  if (array == nullptr || std::from_chars(token.begin(), token.end(), index).ptr != token.end())
    return nullptr;
  return index < array->size() ? &(*array)[index] : nullptr;
}

// RFC 6901, section 4: "~1" before "~0", or "~01" would become "/".
std::string unescaped(std::string_view token) {
  std::string out;
  for (std::size_t at = 0; at < token.size(); ++at) {
    auto const escape = token.substr(at, 2);
    if (escape == "~0" || escape == "~1") {
      out += escape == "~0" ? '~' : '/';
      ++at;
    } else {
      out += token[at];
    }
  }
  return out;
}

}  // namespace

Result<void> Documents::add_main(Value const& schema) {
  return add({}, schema);
}

Result<void> Documents::add(std::string const& uri, Value const& document) {
  Level level{.resource = resources_.size()};
  // A document that does not name its dialect is in that of the schema that leads to it.
  auto const dialect = resources_.empty() ? Dialect::Draft202012 : resources_.front().dialect;
  SP_CHECK(open_resource(document, uri, dialect, level));
  by_uri_.try_emplace(uri, level.resource);
  return walk(document, level);
}

Result<void> Documents::open_resource(Value const& schema, std::string uri, Dialect outer,
                                      Level& level) {
  Resource resource{.uri = std::move(uri), .root = &schema, .dialect = outer};
  SP_CHECK(choose_dialect(resource));
  auto const* object = schema.if_object();
  auto const* id = object == nullptr ? nullptr : find_string(*object, "$id");
  if (id != nullptr) {
    SP_TRY(resource.uri, resolve_bounded(resource.uri, split_fragment(view(*id)).uri));
  }
  level.resource = resources_.size();
  auto const [place, is_new] = by_uri_.try_emplace(resource.uri, level.resource);
  if (!is_new) return invalid(fmt::format("Two schemas have the $id \"{}\".", resource.uri));
  resources_.push_back(std::move(resource));
  return {};
}

Result<void> Documents::choose_dialect(Resource& resource) const {
  auto const* object = resource.root->if_object();
  auto const* name = object == nullptr ? nullptr : find_string(*object, "$schema");
  if (name == nullptr) return {};
  auto const uri = split_fragment(view(*name)).uri;
  if (uri == kDialect202012) {
    resource.dialect = Dialect::Draft202012;
  } else if (uri == "https://json-schema.org/draft/2019-09/schema") {
    resource.dialect = Dialect::Draft201909;
  } else if (uri == "http://json-schema.org/draft-07/schema" ||
             uri == "https://json-schema.org/draft-07/schema") {
    resource.dialect = Dialect::Draft07;
  } else {
    return choose_vocabulary(resource, uri);
  }
  return {};
}

Result<void> Documents::choose_vocabulary(Resource& resource, std::string_view uri) const {
  auto const meta = known_.find(uri);
  auto const* object = meta == known_.end() ? nullptr : meta->second.if_object();
  if (object == nullptr) {
    return invalid(fmt::format("The schema dialect \"{}\" is not supported.", uri));
  }
  auto const* vocabulary = find_object(*object, "$vocabulary");
  if (vocabulary == nullptr) return {};
  constexpr std::string_view kVocabularies = "https://json-schema.org/draft/2020-12/vocab/";
  for (auto const& member : *vocabulary) {
    std::string_view const name{member.key().data(), member.key().size()};
    auto const* required = member.value().if_bool();
    if (required != nullptr && *required && !name.starts_with(kVocabularies)) {
      return invalid(fmt::format("The schema vocabulary \"{}\" is not supported.", name));
    }
  }
  resource.validates = vocabulary->contains(fmt::format("{}validation", kVocabularies));
  return {};
}

Result<void> Documents::walk(Value const& schema, Level level) {
  if (level.depth > limits_.depth) return invalid("The schema is nested too deeply.");
  if (resource_of_.size() >= limits_.subschemas) return invalid("The schema is too large.");
  auto const* object = schema.if_object();
  if (object == nullptr) return {};

  auto const& outer = resources_[level.resource];
  auto const* id = find_string(*object, "$id");
  // draft-07: whatever stands beside a $ref is ignored.
  bool const ignored = outer.dialect == Dialect::Draft07 && object->contains("$ref");
  if (id != nullptr && !ignored && outer.root != &schema) {
    if (!split_fragment(view(*id)).uri.empty()) {
      SP_CHECK(open_resource(schema, outer.uri, outer.dialect, level));
    }
  }
  resource_of_.emplace(&schema, level.resource);
  if (!ignored) SP_CHECK(note_anchors(schema, level.resource));
  return walk_children(*object, level);
}

Result<void> Documents::walk_children(Object const& schema, Level level) {
  ++level.depth;
  for (auto const& [name, holds] : kSubschemas) {
    auto const* value = schema.if_contains(name);
    if (value == nullptr) continue;
    if (auto const* list = value->if_array(); list != nullptr && holds != Holds::Map) {
      for (auto const& element : *list) SP_CHECK(walk(element, level));
    } else if (auto const* map = value->if_object(); map != nullptr && holds == Holds::Map) {
      for (auto const& member : *map) SP_CHECK(walk(member.value(), level));
    } else if (holds != Holds::Map) {
      SP_CHECK(walk(*value, level));
    }
  }
  return {};
}

Result<void> Documents::note_anchors(Value const& schema, std::size_t resource) {
  auto const& object = schema.get_object();
  if (auto const* name = find_string(object, "$anchor")) {
    SP_CHECK(note_anchor(resource, view(*name), schema));
  }
  if (auto const* name = find_string(object, "$dynamicAnchor")) {
    SP_CHECK(note_anchor(resource, view(*name), schema));
    resources_[resource].dynamic_anchors.push_back({std::string{view(*name)}, &schema});
  }
  if (auto const* recursive = find(object, "$recursiveAnchor");
      recursive != nullptr && recursive->is_bool() && recursive->get_bool()) {
    resources_[resource].dynamic_anchors.push_back({std::string{kRecursiveAnchor}, &schema});
  }
  if (auto const* id = find_string(object, "$id")) {
    auto const fragment = split_fragment(view(*id)).fragment;
    if (fragment.empty()) return {};
    if (resources_[resource].dialect != Dialect::Draft07) {
      return invalid(fmt::format("The $id \"{}\" must not have a fragment.", view(*id)));
    }
    return note_anchor(resource, fragment, schema);
  }
  return {};
}

Result<void> Documents::note_anchor(std::size_t resource, std::string_view name,
                                    Value const& schema) {
  auto const [place, is_new] = resources_[resource].anchors.try_emplace(std::string{name}, &schema);
  if (!is_new && place->second != &schema) {
    return invalid(fmt::format("Two schemas have the anchor \"{}\".", name));
  }
  return {};
}

std::size_t Documents::resource_of(Value const* schema, std::size_t enclosing) const {
  auto const found = resource_of_.find(schema);
  return found == resource_of_.end() ? enclosing : found->second;
}

Result<std::size_t> Documents::find_resource(std::string_view uri) {
  if (auto const found = by_uri_.find(uri); found != by_uri_.end()) return found->second;
  auto const* document = find_meta_schema(uri);
  if (auto const known = known_.find(uri); document == nullptr && known != known_.end()) {
    document = &known->second;
  }
  if (document == nullptr) {
    return invalid(
        fmt::format("\"{}\" is not part of the schema, and references are never fetched.", uri));
  }
  SP_CHECK(add(std::string{uri}, *document));
  return by_uri_.find(uri)->second;
}

Result<Target> Documents::resolve(std::size_t from_resource, std::string_view reference) {
  SP_TRY(auto const absolute, resolve_bounded(resources_[from_resource].uri, reference));
  auto const [uri, raw_fragment] = split_fragment(absolute);
  SP_TRY(auto const index, find_resource(uri));
  auto const fragment = percent_decoded(raw_fragment);
  if (fragment.empty() || fragment.starts_with('/')) {
    SP_TRY(auto target, follow_pointer(index, fragment));
    target.uri = absolute;
    return target;
  }
  auto const& resource = resources_[index];
  auto const anchor = resource.anchors.find(fragment);
  if (anchor == resource.anchors.end()) {
    return invalid(fmt::format("\"{}\" names an anchor that does not exist.", reference));
  }
  Target target{.schema = anchor->second, .resource = index, .uri = absolute};
  auto const& dynamic = resource.dynamic_anchors;
  if (std::any_of(dynamic.begin(), dynamic.end(),
                  [&fragment](auto const& entry) { return entry.name == fragment; })) {
    target.dynamic_anchor = fragment;
  }
  return target;
}

Result<Target> Documents::follow_pointer(std::size_t resource, std::string_view pointer) const {
  auto const whole = pointer;
  Target target{.schema = resources_[resource].root, .resource = resource};
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    auto const token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    target.schema = step_into(*target.schema, unescaped(token));
    if (target.schema == nullptr) {
      return invalid(fmt::format("\"#{}\" leads to nothing.", whole));
    }
    target.resource = resource_of(target.schema, target.resource);
  }
  return target;
}

}  // namespace sallyport::json
