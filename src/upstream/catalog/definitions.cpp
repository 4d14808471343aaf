#include "src/upstream/catalog/definitions.hpp"

#include "src/base/result.hpp"
#include "src/mcp/header_mirror.hpp"
#include "src/upstream/catalog/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace sallyport::upstream {
namespace {

constexpr std::size_t kLongestName = 1024;
constexpr std::size_t kLongestUri = 8192;
constexpr std::size_t kLongestPrintedName = 100;
constexpr auto const* kRepeated = "There is one of that name already.";

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// The member that names the definition.
Result<std::string> identifier(json::Object const& definition, std::string_view key,
                               std::size_t longest) {
  auto text = shapes::text(definition, key);
  if (text.empty()) return fail(Errc::InvalidInput, fmt::format("It has no {}.", key));
  if (text.size() > longest) {
    return fail(Errc::InvalidInput,
                fmt::format("Its {} has {} bytes; {} are allowed.", key, text.size(), longest));
  }
  if (std::ranges::any_of(text, is_control)) {
    return fail(Errc::InvalidInput, fmt::format("Its {} has control characters.", key));
  }
  return text;
}

// What all four kinds have.
template <class Entry>
void read_common(json::Object const& definition, Entry& entry) {
  entry.title = shapes::text(definition, "title");
  entry.description = shapes::text(definition, "description");
  entry.icons = shapes::icons(definition);
  if (auto const* meta = json::find_object(definition, "_meta")) entry.meta = *meta;
}

mcp::TaskSupport read_task_support(json::Object const& definition) {
  auto const* execution = json::find_object(definition, "execution");
  auto const support = execution == nullptr ? "" : shapes::text(*execution, "taskSupport");
  if (support == "optional") return mcp::TaskSupport::Optional;
  if (support == "required") return mcp::TaskSupport::Required;
  return mcp::TaskSupport::Forbidden;
}

Result<mcp::Tool> read_tool(json::Object const& definition) {
  mcp::Tool tool;
  SP_TRY(tool.name, identifier(definition, "name", kLongestName));
  auto const* const input = json::find_object(definition, "inputSchema");
  if (input == nullptr) return fail(Errc::InvalidInput, "It has no inputSchema.");
  if (!shapes::may_be_object(*input)) {
    return fail(Errc::InvalidInput, "Its inputSchema does not describe an object.");
  }
  tool.input_schema = shapes::object_schema(*input);
  SP_CHECK(mcp::mirrored_parameters(tool.input_schema));
  if (auto const* output = json::find_object(definition, "outputSchema")) {
    // Whatever the list was parsed into does not outlive it.
    tool.output_schema.emplace(
        shapes::may_be_object(*output) ? shapes::object_schema(*output) : *output, json::Storage{});
  }
  tool.annotations = shapes::tool_annotations(definition);
  tool.task_support = read_task_support(definition);
  tool.foreign = true;
  read_common(definition, tool);
  return tool;
}

// The name is for people, and the protocol asks for one: whoever gives none is listed by its URI.
template <class Entry>
void read_resource_common(json::Object const& definition, std::string const& uri, Entry& entry) {
  entry.name = shapes::text(definition, "name");
  if (entry.name.empty()) entry.name = uri;
  entry.mime_type = shapes::text(definition, "mimeType");
  entry.annotations = shapes::content_annotations(definition);
  read_common(definition, entry);
}

Result<mcp::Resource> read_resource(json::Object const& definition) {
  mcp::Resource resource;
  SP_TRY(resource.uri, identifier(definition, "uri", kLongestUri));
  read_resource_common(definition, resource.uri, resource);
  auto const* const size = definition.if_contains("size");
  if (size != nullptr && size->is_int64() && size->get_int64() >= 0) {
    resource.size = static_cast<std::uint64_t>(size->get_int64());
  }
  return resource;
}

Result<mcp::ResourceTemplate> read_template(json::Object const& definition) {
  mcp::ResourceTemplate resource;
  SP_TRY(resource.uri_template, identifier(definition, "uriTemplate", kLongestUri));
  read_resource_common(definition, resource.uri_template, resource);
  return resource;
}

Result<mcp::Prompt> read_prompt(json::Object const& definition) {
  mcp::Prompt prompt;
  SP_TRY(prompt.name, identifier(definition, "name", kLongestName));
  read_common(definition, prompt);
  auto const* const arguments = json::find_array(definition, "arguments");
  if (arguments == nullptr) return prompt;
  for (auto const& each : *arguments) {
    auto const* const object = each.if_object();
    if (object == nullptr || shapes::text(*object, "name").empty()) continue;
    auto const* const required = object->if_contains("required");
    prompt.arguments.push_back(
        {.name = shapes::text(*object, "name"),
         .title = shapes::text(*object, "title"),
         .description = shapes::text(*object, "description"),
         .required = required != nullptr && required->is_bool() && required->get_bool()});
  }
  return prompt;
}

std::string const& key_of(mcp::Tool const& tool) {
  return tool.name;
}
std::string const& key_of(mcp::Resource const& resource) {
  return resource.uri;
}
std::string const& key_of(mcp::ResourceTemplate const& resource) {
  return resource.uri_template;
}
std::string const& key_of(mcp::Prompt const& prompt) {
  return prompt.name;
}

std::string name_for_log(json::Value const& definition, std::size_t position) {
  auto const* const object = definition.if_object();
  for (std::string_view const key : {"name", "uri", "uriTemplate"}) {
    auto const* const text = object == nullptr ? nullptr : json::find_string(*object, key);
    if (text != nullptr && !text->empty()) return printable_name(json::view(*text));
  }
  return fmt::format("#{}", position);
}

template <class Entry>
Result<Entry> read_checked(json::Value const& definition, DefinitionLimits const& limits,
                           Result<Entry> (*read)(json::Object const&)) {
  auto const* const object = definition.if_object();
  if (object == nullptr) return fail(Errc::InvalidInput, "It is not an object.");
  if (!shapes::fits(definition, limits.bytes)) {
    return fail(Errc::InvalidInput, fmt::format("It is larger than {} KiB.", limits.bytes / 1024));
  }
  return read(*object);
}

template <class Entry>
Taken<Entry> take(json::Array const& definitions, DefinitionLimits const& limits,
                  Result<Entry> (*read)(json::Object const&)) {
  Taken<Entry> taken;
  std::unordered_set<std::string> known;
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    if (taken.entries.size() == limits.entries) {
      taken.dropped.push_back({fmt::format("#{} and what follows", i),
                               fmt::format("There are more than {} entries.", limits.entries)});
      break;
    }
    auto entry = read_checked(definitions[i], limits, read);
    if (entry && !known.insert(key_of(*entry)).second) {
      entry = fail(Errc::InvalidInput, kRepeated);
    }
    if (entry) {
      taken.entries.push_back(std::move(*entry));
    } else if (taken.dropped.size() < limits.entries) {
      taken.dropped.push_back({name_for_log(definitions[i], i), entry.error().message});
    }
  }
  return taken;
}

}  // namespace

Taken<mcp::Tool> take_tools(json::Array const& definitions, DefinitionLimits const& limits) {
  return take(definitions, limits, read_tool);
}

Taken<mcp::Resource> take_resources(json::Array const& definitions,
                                    DefinitionLimits const& limits) {
  return take(definitions, limits, read_resource);
}

Taken<mcp::ResourceTemplate> take_templates(json::Array const& definitions,
                                            DefinitionLimits const& limits) {
  return take(definitions, limits, read_template);
}

Taken<mcp::Prompt> take_prompts(json::Array const& definitions, DefinitionLimits const& limits) {
  return take(definitions, limits, read_prompt);
}

std::vector<Dropped> drop_repeated(std::vector<json::Object>& definitions) {
  std::vector<Dropped> dropped;
  std::unordered_set<std::string> known;
  std::erase_if(definitions, [&](json::Object const& each) {
    auto name = shapes::text(each, "name");
    if (name.empty() || known.insert(name).second) return false;
    dropped.push_back({printable_name(name), kRepeated});
    return true;
  });
  return dropped;
}

std::string printable_name(std::string_view name) {
  auto end = std::min(name.size(), kLongestPrintedName);
  // Not within a character of several bytes.
  while (end < name.size() && end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  std::string text{name.substr(0, end)};
  std::ranges::replace_if(text, is_control, '?');
  if (end < name.size()) text += "...";
  return text;
}

}  // namespace sallyport::upstream
