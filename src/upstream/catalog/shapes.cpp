#include "src/upstream/catalog/shapes.hpp"

#include "src/base/ascii.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::upstream::shapes {
namespace {

constexpr std::size_t kScalarBytes = 4;

// Takes what the value needs from `left`; false when there is not enough.
bool spend(json::Value const& value, std::size_t& left) {
  auto const take = [&](std::size_t bytes) {
    bool const enough = bytes <= left;
    left -= enough ? bytes : left;
    return enough;
  };
  if (auto const* text = value.if_string()) return take(text->size() + 2);
  if (auto const* array = value.if_array()) {
    return take(2) && std::ranges::all_of(*array, [&](json::Value const& each) {
             return take(1) && spend(each, left);
           });
  }
  if (auto const* object = value.if_object()) {
    return take(2) && std::ranges::all_of(*object, [&](auto const& each) {
             return take(each.key().size() + 4) && spend(each.value(), left);
           });
  }
  return take(kScalarBytes);
}

bool is_array_of_texts(json::Value const& value) {
  auto const* const array = value.if_array();
  return array != nullptr &&
         std::ranges::all_of(*array, [](json::Value const& each) { return each.is_string(); });
}

bool is_text(json::Value const& value) {
  return value.is_string();
}

bool is_flag(json::Value const& value) {
  return value.is_bool();
}

bool is_priority(json::Value const& value) {
  if (!value.is_number()) return false;
  auto const number = value.to_number<double>();
  return number >= 0 && number <= 1;
}

bool is_audience(json::Value const& value) {
  return is_array_of_texts(value) &&
         std::ranges::all_of(value.get_array(), [](json::Value const& each) {
           return each.get_string() == "user" || each.get_string() == "assistant";
         });
}

// Removes the member unless it is as it should be.
void require(json::Object& owner, std::string_view key, bool (*is_right)(json::Value const&)) {
  auto const* const value = owner.if_contains(key);
  if (value != nullptr && !is_right(*value)) owner.erase(key);
}

bool is_showable(std::string_view source) {
  auto const start = lowered(source.substr(0, 16));
  return start.starts_with("https:") || start.starts_with("http:") ||
         start.starts_with("data:image/");
}

}  // namespace

bool fits(json::Value const& value, std::size_t bytes) {
  return spend(value, bytes);
}

std::string text(json::Object const& owner, std::string_view key) {
  auto const* const found = json::find_string(owner, key);
  return found == nullptr ? std::string{} : std::string{json::view(*found)};
}

json::Array icons(json::Object const& owner) {
  json::Array usable;
  auto const* const given = json::find_array(owner, "icons");
  if (given == nullptr) return usable;
  for (auto const& each : *given) {
    auto const* const object = each.if_object();
    auto const* const source = object == nullptr ? nullptr : json::find_string(*object, "src");
    if (source == nullptr || !is_showable(json::view(*source))) continue;
    auto icon = *object;
    require(icon, "mimeType", is_text);
    require(icon, "theme", is_text);
    require(icon, "sizes", is_array_of_texts);
    usable.push_back(std::move(icon));
  }
  return usable;
}

json::Object tool_annotations(json::Object const& owner) {
  auto const* const given = json::find_object(owner, "annotations");
  if (given == nullptr) return {};
  auto annotations = *given;
  require(annotations, "title", is_text);
  for (auto const* const hint :
       {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}) {
    require(annotations, hint, is_flag);
  }
  return annotations;
}

json::Object content_annotations(json::Object const& owner) {
  auto const* const given = json::find_object(owner, "annotations");
  if (given == nullptr) return {};
  auto annotations = *given;
  require(annotations, "audience", is_audience);
  require(annotations, "priority", is_priority);
  require(annotations, "lastModified", is_text);
  return annotations;
}

bool may_be_object(json::Object const& schema) {
  auto const* const type = schema.if_contains("type");
  if (type == nullptr) return true;
  if (auto const* several = type->if_array()) {
    return std::ranges::find(*several, json::Value("object")) != several->end();
  }
  return type->is_string() && type->get_string() == "object";
}

json::Object object_schema(json::Object schema) {
  schema["type"] = "object";
  require(schema, "required", is_array_of_texts);
  auto* const member = schema.if_contains("properties");
  if (member == nullptr) return schema;
  auto* const properties = member->if_object();
  if (properties == nullptr) {
    schema.erase("properties");
    return schema;
  }
  // `true` and `false` are schemas, too, but clients want objects: the same, written as one.
  for (auto& [name, value] : *properties) {
    if (value.is_object()) continue;
    bool const refuses_all = value.is_bool() && !value.get_bool();
    value = refuses_all ? json::Object{{"not", json::Object{}}} : json::Object{};
  }
  return schema;
}

}  // namespace sallyport::upstream::shapes
