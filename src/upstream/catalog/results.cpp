#include "src/upstream/catalog/results.hpp"

#include "src/upstream/catalog/shapes.hpp"

#include <utility>

namespace sallyport::upstream {
namespace {

// The objects in the array `key` that `is_usable`; it is taken out of `owner`.
template <class IsUsable>
json::Array take_objects(json::Object& owner, std::string_view key, IsUsable const& is_usable) {
  auto* const member = owner.if_contains(key);
  auto* const array = member == nullptr ? nullptr : member->if_array();
  json::Array usable(owner.storage());
  if (array == nullptr) return usable;
  usable.reserve(array->size());
  for (auto& each : *array) {
    if (each.is_object() && is_usable(each.get_object())) usable.push_back(std::move(each));
  }
  return usable;
}

bool has_text(json::Object const& object, std::string_view key) {
  return json::find_string(object, key) != nullptr;
}

bool is_block(json::Object const& block) {
  return has_text(block, "type");
}

bool is_part(json::Object const& contents) {
  return has_text(contents, "uri");
}

bool is_message(json::Object const& message) {
  auto const* const content = json::find_object(message, "content");
  return has_text(message, "role") && content != nullptr && is_block(*content);
}

bool is_set(json::Object const& owner, std::string_view key) {
  auto const* const value = owner.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

json::Object take_meta(json::Object& result) {
  auto* const meta = result.if_contains("_meta");
  return meta == nullptr || !meta->is_object() ? json::Object{} : std::move(meta->get_object());
}

// An older server says nothing about it: then it is not to be kept.
std::chrono::milliseconds fresh_for(json::Object const& result) {
  auto const* const ttl = json::find(result, "ttlMs");
  bool const said = ttl != nullptr && ttl->is_int64() && ttl->get_int64() > 0;
  return std::chrono::milliseconds{said ? ttl->get_int64() : 0};
}

}  // namespace

mcp::ToolResult take_tool_result(json::Object result) {
  mcp::ToolResult taken{.content = take_objects(result, "content", is_block)};
  taken.is_error = is_set(result, "isError");
  if (auto* const structured = result.if_contains("structuredContent")) {
    taken.structured = std::move(*structured);
  }
  taken.meta = take_meta(result);
  return taken;
}

mcp::ResourceResult take_resource_result(json::Object result) {
  return {.contents = take_objects(result, "contents", is_part),
          .ttl = fresh_for(result),
          .meta = take_meta(result)};
}

mcp::PromptResult take_prompt_result(json::Object result) {
  return {.description = shapes::text(result, "description"),
          .messages = take_objects(result, "messages", is_message),
          .meta = take_meta(result)};
}

mcp::Completion take_completion(json::Object const& result) {
  mcp::Completion taken;
  auto const* const completion = json::find_object(result, "completion");
  if (completion == nullptr) return taken;
  if (auto const* const values = json::find_array(*completion, "values")) {
    for (auto const& each : *values) {
      if (auto const* text = each.if_string()) taken.values.emplace_back(json::view(*text));
    }
  }
  auto const* const total = completion->if_contains("total");
  if (total != nullptr && total->is_int64() && total->get_int64() >= 0) {
    taken.total = static_cast<std::size_t>(total->get_int64());
  }
  taken.has_more = is_set(*completion, "hasMore");
  return taken;
}

}  // namespace sallyport::upstream
