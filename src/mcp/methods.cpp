#include "src/mcp/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sallyport::mcp {
namespace {

constexpr std::array kMethods = {
    Method{"tools/list", true, true, list_tools, nullptr},
    Method{"tools/call", true, true, nullptr, call_tool},
    Method{"server/discover", true, false, discover, nullptr},
    Method{"ping", false, true, ping, nullptr},
    Method{"resources/list", true, true, list_resources, nullptr},
    Method{"resources/templates/list", true, true, list_templates, nullptr},
    Method{"resources/read", true, true, nullptr, read_resource},
    Method{"resources/subscribe", false, true, subscribe, nullptr},
    Method{"resources/unsubscribe", false, true, unsubscribe, nullptr},
    Method{"prompts/list", true, true, list_prompts, nullptr},
    Method{"prompts/get", true, true, nullptr, get_prompt},
    Method{"completion/complete", true, true, nullptr, complete},
    Method{"logging/setLevel", false, true, set_log_level, nullptr},
    Method{"subscriptions/listen", true, false, nullptr, listen},
    Method{"tasks/get", true, true, nullptr, get_task},
    Method{"tasks/update", true, false, nullptr, update_task},
    Method{"tasks/cancel", true, true, nullptr, cancel_task},
    Method{"tasks/result", false, true, nullptr, task_result},
    Method{"tasks/list", false, true, nullptr, list_tasks},
};

bool has_capability(json::Object const& capabilities, std::string_view method, Revision revision) {
  if (method.starts_with("resources/")) return capabilities.contains("resources");
  if (method.starts_with("prompts/")) return capabilities.contains("prompts");
  // 2024-11-05 has completion without a capability for it.
  if (method.starts_with("completion/")) {
    return revision == Revision::V2024_11_05 || capabilities.contains("completions");
  }
  if (method.starts_with("tasks/")) {
    return capabilities.contains(is_modern(revision) ? "extensions" : "tasks");
  }
  return true;
}

}  // namespace

Method const* find_method(std::string_view name, Revision revision, Registry const& registry) {
  auto const* const found = std::ranges::find(kMethods, name, &Method::name);
  if (found == kMethods.end()) return nullptr;
  if (!(is_modern(revision) ? found->modern : found->legacy)) return nullptr;
  return has_capability(registry.capabilities(revision), name, revision) ? found : nullptr;
}

std::optional<RpcError> missing_capability(json::Object const& declared,
                                           json::Object const& required) {
  json::Object missing;
  for (auto const& [name, wanted] : required) {
    auto const* has = declared.if_contains(name);
    auto const* inner_wanted = wanted.if_object();
    auto const* inner_has = has == nullptr ? nullptr : has->if_object();
    if (inner_has == nullptr) {
      missing[name] = wanted;
    } else if (inner_wanted != nullptr && !inner_wanted->empty()) {
      auto const inner = missing_capability(*inner_has, *inner_wanted);
      if (inner) missing[name] = inner->data.at("requiredCapabilities");
    }
  }
  if (missing.empty()) return std::nullopt;
  return RpcError{code::kMissingCapability,
                  "The request needs a client capability that was not declared.",
                  json::Object{{"requiredCapabilities", std::move(missing)}}, 400};
}

Result<std::string> string_param(json::Object const& params, std::string_view name) {
  auto const* text = json::find_string(params, name);
  if (text == nullptr) {
    return fail(Errc::InvalidInput, fmt::format("'params.{}' is missing or not a string.", name));
  }
  return std::string{json::view(*text)};
}

}  // namespace sallyport::mcp
