#include "src/upstream/gateway/shown_entries.hpp"

#include "src/upstream/catalog/search_tools.hpp"
#include "src/upstream/catalog/uris.hpp"

#include <utility>

namespace sallyport::upstream {
namespace {

template <class Entries>
std::vector<std::string> names_in(Entries const& entries) {
  std::vector<std::string> names;
  for (auto const& entry : entries) names.push_back(entry.name);
  return names;
}

void show_tools(Route route, Offer const& offer, AliasBook const& book, ShowOptions how,
                mcp::Registry::Builder& builder) {
  auto const aliases = book.aliases(route.server.name(), names_in(offer.tools));
  for (std::size_t i = 0; i < aliases.size(); ++i) {
    auto tool = offer.tools[i];
    tool.handler = tool_route(route, tool);
    tool.server = route.server.name();
    tool.original = std::exchange(tool.name, aliases[i]);
    tool.listed = how.listed || stays_listed(tool);
    // We can run any of them in the background; what it needs there is its route's business.
    if (tool.task_support != mcp::TaskSupport::Forbidden) {
      tool.task_support = mcp::TaskSupport::Optional;
    }
    if (how.original_names) builder.also_call(tool.name, tool.original);
    builder.add(std::move(tool));
  }
}

void show_resources(Route route, Offer const& offer, mcp::Registry::Builder& builder) {
  if (!offer.has_resources) return;
  auto const& part = route.server.part();
  auto const handler = resource_route(route);
  for (auto resource : offer.resources) {
    resource.handler = handler;
    builder.add(std::move(resource));
  }
  for (auto resource : offer.templates) {
    resource.handler = handler;
    auto original = to_original(part, resource.uri_template);
    if (offer.completes && original) {
      resource.completer = template_completer(route, std::move(*original));
    }
    builder.add(std::move(resource));
  }
  // Servers also link to what they do not list.
  builder.mount(ui_prefix(part), handler);
  builder.mount(mcp_prefix(part), handler);
}

void show_prompts(Route route, Offer const& offer, AliasBook const& book,
                  mcp::Registry::Builder& builder) {
  auto const aliases = book.aliases(route.server.name(), names_in(offer.prompts));
  for (std::size_t i = 0; i < aliases.size(); ++i) {
    auto prompt = offer.prompts[i];
    prompt.handler = prompt_route(route, prompt.name);
    if (offer.completes) prompt.completer = prompt_completer(route, prompt.name);
    prompt.name = aliases[i];
    builder.add(std::move(prompt));
  }
}

}  // namespace

void show_entries(Route route, ShownNames names, ShowOptions how, mcp::Registry::Builder& builder) {
  auto const offer = route.server.offer();
  if (offer == nullptr) return;
  show_tools(route, *offer, names.tools, how, builder);
  show_resources(route, *offer, builder);
  show_prompts(route, *offer, names.prompts, builder);
}

}  // namespace sallyport::upstream
