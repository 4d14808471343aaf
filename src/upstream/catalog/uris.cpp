#include "src/upstream/catalog/uris.hpp"

#include <fmt/format.h>

namespace sallyport::upstream {
namespace {

constexpr std::string_view kUi = "ui://";
constexpr std::string_view kMcp = "mcp://";

void publish_member(std::string_view server, json::Object& object, std::string_view key) {
  auto* const value = object.if_contains(key);
  auto* const text = value == nullptr ? nullptr : value->if_string();
  if (text != nullptr) *text = to_public(server, json::view(*text));
}

json::Object* object_in(json::Object& object, std::string_view key) {
  auto* const value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}

// MCP Apps: the page of a tool, or of a result; the second way is that of its first drafts.
void publish_meta(std::string_view server, json::Object& owner) {
  auto* const meta = object_in(owner, "_meta");
  if (meta == nullptr) return;
  if (auto* const ui = object_in(*meta, "ui")) publish_member(server, *ui, "resourceUri");
  publish_member(server, *meta, "ui/resourceUri");
}

void restore_member(std::string_view server, json::Object& object, std::string_view key) {
  auto* const value = object.if_contains(key);
  auto* const text = value == nullptr ? nullptr : value->if_string();
  if (text == nullptr) return;
  if (auto const original = to_original(server, json::view(*text))) *text = *original;
}

// One part of `resources/read`, or what a content block embeds.
void publish_contents(std::string_view server, json::Object& contents) {
  publish_member(server, contents, "uri");
  publish_meta(server, contents);
}

void publish_block(std::string_view server, json::Object& block) {
  publish_meta(server, block);
  auto const* const type = json::find_string(block, "type");
  if (type == nullptr) return;
  if (*type == "resource_link") publish_member(server, block, "uri");
  if (*type != "resource") return;
  if (auto* const embedded = object_in(block, "resource")) publish_contents(server, *embedded);
}

// Each object in the array `key` of `owner`.
template <class Publish>
void publish_each(std::string_view server, json::Object& owner, std::string_view key,
                  Publish const& publish) {
  auto* const value = owner.if_contains(key);
  auto* const array = value == nullptr ? nullptr : value->if_array();
  if (array == nullptr) return;
  for (auto& each : *array) {
    if (auto* const object = each.if_object()) publish(server, *object);
  }
}

void publish_message(std::string_view server, json::Object& message) {
  if (auto* const block = object_in(message, "content")) publish_block(server, *block);
  publish_each(server, message, "content", publish_block);  // several, as in sampling
}

}  // namespace

std::string ui_prefix(std::string_view server) {
  return fmt::format("{}{}/", kUi, server);
}

std::string mcp_prefix(std::string_view server) {
  return fmt::format("{}{}/", kMcp, server);
}

std::string to_public(std::string_view server, std::string_view uri) {
  if (uri.starts_with(kUi)) return fmt::format("{}{}", ui_prefix(server), uri.substr(kUi.size()));
  return fmt::format("{}{}", mcp_prefix(server), uri);
}

std::optional<std::string> to_original(std::string_view server, std::string_view public_uri) {
  if (server_of(public_uri) != server) return std::nullopt;
  if (public_uri.starts_with(kUi)) {
    return fmt::format("{}{}", kUi, public_uri.substr(kUi.size() + server.size() + 1));
  }
  auto const uri = public_uri.substr(kMcp.size() + server.size() + 1);
  // SECURITY: every resource has one public URI, so that who judges URIs judges all of it.
  if (uri.starts_with(kUi)) return std::nullopt;
  return std::string{uri};
}

std::optional<std::string_view> server_of(std::string_view public_uri) {
  for (auto const scheme : {kUi, kMcp}) {
    if (!public_uri.starts_with(scheme)) continue;
    auto const rest = public_uri.substr(scheme.size());
    auto const end = rest.find('/');
    if (end == 0 || end == std::string_view::npos) return std::nullopt;
    return rest.substr(0, end);
  }
  return std::nullopt;
}

void restore_meta(std::string_view server, json::Object& meta) {
  if (auto* const ui = object_in(meta, "ui")) restore_member(server, *ui, "resourceUri");
  restore_member(server, meta, "ui/resourceUri");
}

void publish_tool(std::string_view server, json::Object& definition) {
  publish_meta(server, definition);
}

void publish_resource(std::string_view server, json::Object& definition) {
  publish_member(server, definition, "uri");
  publish_meta(server, definition);
}

void publish_template(std::string_view server, json::Object& definition) {
  publish_member(server, definition, "uriTemplate");
  publish_meta(server, definition);
}

void publish_tool_result(std::string_view server, json::Object& result) {
  publish_meta(server, result);
  publish_each(server, result, "content", publish_block);
}

void publish_resource_result(std::string_view server, json::Object& result) {
  publish_meta(server, result);
  publish_each(server, result, "contents", publish_contents);
}

void publish_prompt_result(std::string_view server, json::Object& result) {
  publish_meta(server, result);
  publish_each(server, result, "messages", publish_message);
}

}  // namespace sallyport::upstream
