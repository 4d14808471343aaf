#include "src/mcp/capabilities.hpp"

#include "src/mcp/envelope.hpp"
#include "src/mcp/registry.hpp"

#include <algorithm>

namespace sallyport::mcp {
namespace {

bool supports_tasks(Registry const& registry) {
  return std::ranges::any_of(registry.tools(), [](RegisteredTool const& each) {
    return each.tool.task_support != TaskSupport::Forbidden;
  });
}

bool completes(Registry const& registry) {
  auto const prompt = [](RegisteredPrompt const& each) { return bool{each.prompt.completer}; };
  auto const resource = [](RegisteredTemplate const& each) {
    return bool{each.resource.completer};
  };
  return std::ranges::any_of(registry.prompts(), prompt) ||
         std::ranges::any_of(registry.templates(), resource);
}

}  // namespace

json::Object server_capabilities(Registry const& registry, Revision revision) {
  json::Object capabilities{{"logging", json::Object{}},
                            {"tools", json::Object{{"listChanged", true}}}};
  if (!registry.prompts().empty()) capabilities["prompts"] = json::Object{{"listChanged", true}};
  if (registry.has_resources()) {
    capabilities["resources"] = json::Object{{"subscribe", true}, {"listChanged", true}};
  }
  if (completes(registry) && revision >= Revision::V2025_03_26) {
    capabilities["completions"] = json::Object{};
  }
  if (!supports_tasks(registry)) return capabilities;
  if (is_modern(revision)) {
    capabilities["extensions"] = json::Object{{kTasksExtension, json::Object{}}};
  } else if (has_core_tasks(revision)) {
    capabilities["tasks"] =
        json::Object{{"list", json::Object{}},
                     {"cancel", json::Object{}},
                     {"requests", json::Object{{"tools", json::Object{{"call", json::Object{}}}}}}};
  }
  return capabilities;
}

}  // namespace sallyport::mcp
