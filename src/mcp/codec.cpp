#include "src/mcp/codec.hpp"

#include "src/json/write.hpp"
#include "src/mcp/content.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::mcp::codec {
namespace {

void put_text(json::Object& object, std::string_view key, std::string const& text) {
  if (!text.empty()) object[key] = text;
}

void put_object(json::Object& object, std::string_view key, json::Object const& value) {
  if (!value.empty()) object[key] = value;
}

// Members that most entries share, in the order of the specification's examples.
template <class Entry>
void put_common(json::Object& object, Entry const& entry, Revision revision) {
  if (has_titles_and_meta(revision)) put_text(object, "title", entry.title);
  put_text(object, "description", entry.description);
  if (has_icons(revision) && !entry.icons.empty()) object["icons"] = entry.icons;
}

template <class Entry>
void put_meta(json::Object& object, Entry const& entry, Revision revision) {
  if (has_titles_and_meta(revision)) put_object(object, "_meta", entry.meta);
}

std::string_view to_string(TaskSupport support) {
  switch (support) {
    case TaskSupport::Forbidden: return "forbidden";
    case TaskSupport::Optional: return "optional";
    case TaskSupport::Required: return "required";
  }
  return "forbidden";
}

std::string_view kind_of(json::Object const& block) {
  auto const* type = json::find_string(block, "type");
  return type == nullptr ? std::string_view{} : json::view(*type);
}

bool is_known_content(json::Object const& block, Revision revision) {
  auto const kind = kind_of(block);
  if (kind == "audio") return has_audio(revision);
  return kind != "resource_link" || has_resource_links(revision);
}

bool describes_object(json::Value const& schema) {
  auto const* object = schema.if_object();
  auto const* type = object == nullptr ? nullptr : json::find_string(*object, "type");
  return type != nullptr && *type == "object";
}

}  // namespace

json::Object tool(Tool const& tool, Revision revision) {
  json::Object out{{"name", tool.name}};
  put_common(out, tool, revision);
  out["inputSchema"] = tool.input_schema;
  bool const shows_output =
      tool.output_schema && has_structured_content(revision) &&
      (has_any_structured_content(revision) || describes_object(*tool.output_schema));
  if (shows_output) out["outputSchema"] = *tool.output_schema;
  if (has_annotations(revision)) put_object(out, "annotations", tool.annotations);
  if (has_core_tasks(revision) && tool.task_support != TaskSupport::Forbidden) {
    out["execution"] = json::Object{{"taskSupport", to_string(tool.task_support)}};
  }
  put_meta(out, tool, revision);
  return out;
}

json::Object resource(Resource const& resource, Revision revision) {
  json::Object out{{"uri", resource.uri}, {"name", resource.name}};
  put_common(out, resource, revision);
  put_text(out, "mimeType", resource.mime_type);
  if (resource.size) out["size"] = *resource.size;
  put_object(out, "annotations", resource.annotations);
  put_meta(out, resource, revision);
  return out;
}

json::Object resource_template(ResourceTemplate const& resource, Revision revision) {
  json::Object out{{"uriTemplate", resource.uri_template}, {"name", resource.name}};
  put_common(out, resource, revision);
  put_text(out, "mimeType", resource.mime_type);
  put_object(out, "annotations", resource.annotations);
  put_meta(out, resource, revision);
  return out;
}

json::Object prompt(Prompt const& prompt, Revision revision) {
  json::Object out{{"name", prompt.name}};
  put_common(out, prompt, revision);
  json::Array arguments;
  for (auto const& argument : prompt.arguments) {
    json::Object each{{"name", argument.name}};
    if (has_titles_and_meta(revision)) put_text(each, "title", argument.title);
    put_text(each, "description", argument.description);
    if (argument.required) each["required"] = true;
    arguments.push_back(std::move(each));
  }
  if (!arguments.empty()) out["arguments"] = std::move(arguments);
  put_meta(out, prompt, revision);
  return out;
}

json::Object content_block(json::Object const& block, Revision revision) {
  if (is_known_content(block, revision)) return block;
  if (kind_of(block) == "audio") {
    return content::text("[audio left out: this protocol version has no audio content]");
  }
  auto const* uri = json::find_string(block, "uri");
  return content::text(fmt::format("[link: {}]", uri == nullptr ? "" : json::view(*uri)));
}

json::Object tool_result(ToolResult result, Revision revision) {
  for (auto& block : result.content) {
    auto& object = block.get_object();
    if (!is_known_content(object, revision)) object = content_block(object, revision);
  }
  json::Object out;
  out.reserve(4);
  out.emplace("content", std::move(result.content));
  bool const shows_structure =
      result.structured && has_structured_content(revision) &&
      (has_any_structured_content(revision) || result.structured->is_object());
  if (shows_structure) out.emplace("structuredContent", std::move(*result.structured));
  if (result.is_error) out["isError"] = true;
  if (!result.meta.empty()) out.emplace("_meta", std::move(result.meta));
  return out;
}

void write_tool_result(ToolResult const& result, Revision revision, std::string& out) {
  if (has_structured_content(revision)) {
    out += R"("content":[],"structuredContent":)";
    out += result.structured_text;
  } else {
    out += R"("content":[{"type":"text","text":)";
    json::write_string(result.structured_text, out);
    out += "}]";
  }
  if (result.is_error) out += R"(,"isError":true)";
}

json::Object resource_result(ResourceResult result, Revision revision) {
  json::Object out;
  out.emplace("contents", std::move(result.contents));
  if (result.ttl && is_modern(revision)) {
    out["ttlMs"] = result.ttl->count();
    out["cacheScope"] = "private";
  }
  put_object(out, "_meta", result.meta);
  return out;
}

json::Object prompt_result(PromptResult const& result, Revision revision) {
  json::Object out;
  put_text(out, "description", result.description);
  json::Array messages;
  for (auto const& message : result.messages) {
    auto copy = message.get_object();
    copy["content"] = content_block(copy.at("content").get_object(), revision);
    messages.push_back(std::move(copy));
  }
  out["messages"] = std::move(messages);
  put_object(out, "_meta", result.meta);
  return out;
}

json::Object input_params(InputRequest const& request, Revision revision) {
  auto params = request.params;
  // 2025-06-18 has forms only, and no word for it.
  if (request.kind == InputKind::Elicitation && revision < Revision::V2025_11_25) {
    params.erase("mode");
  }
  return params;
}

std::string_view input_method(InputKind kind) noexcept {
  switch (kind) {
    case InputKind::Elicitation:
    case InputKind::UrlElicitation: return "elicitation/create";
    case InputKind::Sampling:
    case InputKind::SamplingWithTools: return "sampling/createMessage";
    case InputKind::Roots: return "roots/list";
  }
  return "";
}

}  // namespace sallyport::mcp::codec
