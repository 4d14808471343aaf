#include "src/mcp/registry.hpp"

#include "src/json/write.hpp"
#include "src/mcp/capabilities.hpp"
#include "src/mcp/codec.hpp"
#include "src/mcp/tool_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace sallyport::mcp {
namespace {

template <class Entry>
PerRevision listed(Entry const& entry, json::Object (*encode)(Entry const&, Revision)) {
  PerRevision texts;
  for (auto const revision : kRevisions) {
    texts.set(revision, json::to_text(encode(entry, revision)));
  }
  return texts;
}

Error at(std::string_view what, std::string_view name, Error const& error) {
  return fail(Errc::InvalidInput, fmt::format("{} '{}': {}", what, name, error.message));
}

// Without `_meta.ui.visibility` a tool is for both (MCP Apps).
std::pair<bool, bool> visibility(json::Object const& meta) {
  auto const* ui = json::find_object(meta, "ui");
  auto const* list = ui == nullptr ? nullptr : json::find_array(*ui, "visibility");
  if (list == nullptr) return {true, true};
  auto const has = [&](std::string_view who) {
    return std::ranges::any_of(*list, [&](json::Value const& each) {
      return each.is_string() && json::view(each.get_string()) == who;
    });
  };
  return {has("model"), has("app")};
}

struct ToolSchemas {
  std::optional<json::Schema> input;
  std::optional<json::Schema> output;
};

Result<ToolSchemas> compile_schemas(Tool const& tool) {
  ToolSchemas schemas;
  if (tool.foreign) return schemas;
  auto input = json::Schema::compile(tool.input_schema);
  if (!input) return at("The input schema of tool", tool.name, input.error());
  schemas.input = std::move(*input);
  if (!tool.output_schema) return schemas;
  auto output = json::Schema::compile(*tool.output_schema);
  if (!output) return at("The output schema of tool", tool.name, output.error());
  schemas.output = std::move(*output);
  return schemas;
}

Result<RegisteredTool> register_tool(Tool tool) {
  // Clients refuse a whole list when one of its input schemas is of another type.
  auto const* const type = json::find_string(tool.input_schema, "type");
  bool const describes_object = type != nullptr && *type == "object";
  if (!describes_object && tool.foreign) tool.input_schema["type"] = "object";
  if (!describes_object && !tool.foreign) {
    return at("The input schema of tool", tool.name,
              fail(Errc::InvalidInput, "its type must be \"object\"."));
  }
  SP_TRY(auto schemas, compile_schemas(tool));
  auto mirrored = mirrored_parameters(tool.input_schema);
  if (!mirrored) return at("The tool", tool.name, mirrored.error());
  auto const [for_model, for_app] = visibility(tool.meta);
  auto texts = listed(tool, &codec::tool);
  return RegisteredTool{.tool = std::move(tool),
                        .input = std::move(schemas.input),
                        .output = std::move(schemas.output),
                        .mirrored = std::move(*mirrored),
                        .for_model = for_model,
                        .for_app = for_app,
                        .listed = std::move(texts)};
}

// The members of an object, without the braces.
std::string members_text(json::Object const& object) {
  auto text = json::to_text(object);
  return text.substr(1, text.size() - 2);
}

template <class Index>
Result<void> index_name(Index& index, std::string const& name, std::size_t position,
                        std::string_view what) {
  if (index.emplace(name, position).second) return {};
  return fail(Errc::InvalidInput, fmt::format("There are two {} named '{}'.", what, name));
}

bool is_listed(RegisteredTool const& tool) {
  return tool.tool.listed;
}
bool is_listed(auto const&) {
  return true;
}

template <class... Entries>
std::string fingerprint_of(Entries const&... lists) {
  std::size_t hash = 1469598103934665603ULL;
  auto const mix = [&](auto const& entries) {
    for (auto const& entry : entries) {
      if (!is_listed(entry)) continue;
      hash = hash * 1099511628211ULL + std::hash<std::string>{}(entry.listed[kRevisions.back()]);
    }
  };
  (mix(lists), ...);
  return fmt::format("{:016x}", hash);
}

}  // namespace

void PerRevision::set(Revision revision, std::string text) {
  auto const found = std::ranges::find(texts_, text);
  which_[static_cast<std::size_t>(revision)] = static_cast<std::uint8_t>(found - texts_.begin());
  if (found == texts_.end()) texts_.push_back(std::move(text));
}

bool RegisteredTool::visible_to(CallerKind caller) const noexcept {
  switch (caller) {
    case CallerKind::Unknown: return true;
    case CallerKind::Model: return for_model;
    case CallerKind::App: return for_app;
  }
  return false;
}

RegisteredTool const* Registry::tool(std::string_view name) const {
  auto const found = tool_index_.find(std::string{name});
  return found == tool_index_.end() ? nullptr : &tools_[found->second];
}

RegisteredPrompt const* Registry::prompt(std::string_view name) const {
  auto const found = prompt_index_.find(std::string{name});
  return found == prompt_index_.end() ? nullptr : &prompts_[found->second];
}

std::optional<Registry::FoundResource> Registry::resource(std::string_view uri) const {
  auto const found = resource_index_.find(std::string{uri});
  if (found != resource_index_.end()) {
    return FoundResource{resources_[found->second].resource.handler, {}};
  }
  for (auto const& each : templates_) {
    if (auto values = match_template(each.resource.uri_template, uri)) {
      return FoundResource{each.resource.handler, std::move(*values)};
    }
  }
  auto const mount = std::ranges::find_if(
      mounts_, [&](Mount const& each) { return uri.starts_with(each.prefix); });
  if (mount == mounts_.end()) return std::nullopt;
  return FoundResource{mount->handler, {}};
}

RegisteredTemplate const* Registry::resource_template(std::string_view uri_template) const {
  auto const found = std::ranges::find_if(templates_, [&](RegisteredTemplate const& each) {
    return each.resource.uri_template == uri_template;
  });
  return found == templates_.end() ? nullptr : &*found;
}

std::set<std::string, std::less<>> Registry::Builder::tool_names() const {
  std::set<std::string, std::less<>> names;
  for (auto const& tool : tools_) names.insert(tool.name);
  return names;
}

Registry::Builder& Registry::Builder::add(Tool tool) {
  tools_.push_back(std::move(tool));
  return *this;
}

Registry::Builder& Registry::Builder::add(Resource resource) {
  resources_.push_back(std::move(resource));
  return *this;
}

Registry::Builder& Registry::Builder::add(ResourceTemplate resource) {
  templates_.push_back(std::move(resource));
  return *this;
}

Registry::Builder& Registry::Builder::add(Prompt prompt) {
  prompts_.push_back(std::move(prompt));
  return *this;
}

Registry::Builder& Registry::Builder::mount(std::string prefix, ResourceHandler handler) {
  mounts_.push_back({std::move(prefix), std::move(handler)});
  return *this;
}

Registry::Builder& Registry::Builder::also_call(std::string tool, std::string other_name) {
  other_names_.emplace_back(std::move(tool), std::move(other_name));
  return *this;
}

Registry::Builder& Registry::Builder::describe_tools(json::Object meta) {
  about_tools_ = std::move(meta);
  return *this;
}

Result<std::shared_ptr<Registry const>> Registry::Builder::build() {
  auto registry = std::make_shared<Registry>();
  for (auto& tool : tools_) {
    if (!is_tool_name(tool.name)) {
      return fail(Errc::InvalidInput,
                  fmt::format("'{}' is not a tool name: 1 to 64 of [A-Za-z0-9_.-].", tool.name));
    }
    SP_CHECK(index_name(registry->tool_index_, tool.name, registry->tools_.size(), "tools"));
    SP_TRY(auto registered, register_tool(std::move(tool)));
    registry->tools_.push_back(std::move(registered));
  }
  for (auto& resource : resources_) {
    SP_CHECK(index_name(registry->resource_index_, resource.uri, registry->resources_.size(),
                        "resources"));
    auto texts = listed(resource, &codec::resource);
    registry->resources_.push_back({std::move(resource), std::move(texts)});
  }
  for (auto& resource : templates_) {
    if (registry->resource_template(resource.uri_template) != nullptr) {
      return fail(Errc::InvalidInput,
                  fmt::format("There are two resource templates '{}'.", resource.uri_template));
    }
    auto texts = listed(resource, &codec::resource_template);
    registry->templates_.push_back({std::move(resource), std::move(texts)});
  }
  for (auto& prompt : prompts_) {
    SP_CHECK(
        index_name(registry->prompt_index_, prompt.name, registry->prompts_.size(), "prompts"));
    auto texts = listed(prompt, &codec::prompt);
    registry->prompts_.push_back({std::move(prompt), std::move(texts)});
  }
  // The longest first, equal ones side by side.
  std::ranges::sort(mounts_, [](Mount const& left, Mount const& right) {
    return std::pair{right.prefix.size(), std::string_view{left.prefix}} <
           std::pair{left.prefix.size(), std::string_view{right.prefix}};
  });
  auto const twice = std::ranges::adjacent_find(mounts_, {}, &Mount::prefix);
  if (twice != mounts_.end()) {
    return fail(Errc::InvalidInput,
                fmt::format("There are two resource prefixes '{}'.", twice->prefix));
  }
  registry->mounts_ = std::move(mounts_);
  for (auto& [tool, other_name] : other_names_) {
    auto const known = registry->tool_index_.find(tool);
    if (known != registry->tool_index_.end()) {
      registry->tool_index_.emplace(std::move(other_name), known->second);
    }
  }
  registry->about_tools_ = members_text(about_tools_);
  for (auto const revision : kRevisions) {
    registry->capabilities_[static_cast<std::size_t>(revision)] =
        server_capabilities(*registry, revision);
  }
  registry->fingerprints_ = {fingerprint_of(registry->tools_),
                             fingerprint_of(registry->resources_, registry->templates_),
                             fingerprint_of(registry->prompts_)};
  return std::shared_ptr<Registry const>{std::move(registry)};
}

}  // namespace sallyport::mcp
