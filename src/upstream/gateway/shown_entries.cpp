#include "src/upstream/gateway/shown_entries.hpp"

#include "src/mcp/tool_name.hpp"
#include "src/upstream/catalog/search_tools.hpp"
#include "src/upstream/catalog/uris.hpp"

#include <set>
#include <string_view>
#include <utility>

namespace sallyport::upstream {
namespace {

template <class Entries>
std::vector<std::string> names_in(Entries const& entries) {
  std::vector<std::string> names;
  for (auto const& entry : entries) names.push_back(entry.name);
  return names;
}

using Names = ShowOptions::Names;

// The alias, unless the original is wanted and can stand in a list without being taken for another
// entry.
std::vector<std::string> shown_names(std::vector<std::string> originals,
                                     std::vector<std::string> aliases, Names names) {
  if (names != Names::Original) return aliases;
  std::set<std::string_view> const taken{aliases.begin(), aliases.end()};
  for (std::size_t i = 0; i < aliases.size(); ++i) {
    bool const usable = mcp::is_tool_name(originals[i]) && !taken.contains(originals[i]);
    if (!usable) originals[i] = aliases[i];
  }
  return originals;
}

// SECURITY: what is held back keeps its alias: none of its siblings is called in its place.
std::vector<std::string> tool_aliases(Route route, Offer const& offer, AliasBook const& book) {
  auto names = names_in(offer.tools);
  names.insert(names.end(), offer.withheld.begin(), offer.withheld.end());
  auto aliases = book.aliases(route.server.name(), names);
  aliases.resize(offer.tools.size());
  return aliases;
}

void show_tools(Route route, Offer const& offer, AliasBook const& book, ShowOptions how,
                mcp::Registry::Builder& builder) {
  auto const originals = names_in(offer.tools);
  auto const aliases = tool_aliases(route, offer, book);
  auto const shown = shown_names(originals, aliases, how.names);
  for (std::size_t i = 0; i < aliases.size(); ++i) {
    auto tool = offer.tools[i];
    tool.handler = tool_route(route, tool);
    tool.server = route.server.name();
    tool.original = std::exchange(tool.name, shown[i]);
    if (route.original_uris) restore_meta(route.server.part(), tool.meta);
    tool.listed = how.listed || stays_listed(tool);
    // We can run any of them in the background; what it needs there is its route's business.
    if (tool.task_support != mcp::TaskSupport::Forbidden) {
      tool.task_support = mcp::TaskSupport::Optional;
    }
    if (how.names != Names::Ours) {
      builder.also_call(tool.name, tool.original);
      builder.also_call(tool.name, aliases[i]);
    }
    builder.add(std::move(tool));
  }
}

// A resource, or a template of some.
template <class Entry>
void restore(Route route, Entry& entry, std::string& uri) {
  if (!route.original_uris) return;
  auto const& part = route.server.part();
  restore_meta(part, entry.meta);
  if (auto original = to_original(part, uri)) uri = std::move(*original);
}

// Servers also link to what they do not list.
void mount_all(Route route, mcp::ResourceHandler const& handler, mcp::Registry::Builder& builder) {
  if (route.original_uris) {
    builder.mount("", handler);
    return;
  }
  builder.mount(ui_prefix(route.server.part()), handler);
  builder.mount(mcp_prefix(route.server.part()), handler);
}

void show_resources(Route route, Offer const& offer, mcp::Registry::Builder& builder) {
  if (!offer.has_resources) return;
  auto const& part = route.server.part();
  auto const handler = resource_route(route);
  for (auto resource : offer.resources) {
    resource.handler = handler;
    restore(route, resource, resource.uri);
    builder.add(std::move(resource));
  }
  for (auto resource : offer.templates) {
    resource.handler = handler;
    auto original = to_original(part, resource.uri_template);
    if (offer.completes && original) {
      resource.completer = template_completer(route, std::move(*original));
    }
    restore(route, resource, resource.uri_template);
    builder.add(std::move(resource));
  }
  mount_all(route, handler, builder);
}

void show_prompts(Route route, Offer const& offer, AliasBook const& book, ShowOptions how,
                  mcp::Registry::Builder& builder) {
  auto const originals = names_in(offer.prompts);
  auto const shown =
      shown_names(originals, book.aliases(route.server.name(), originals), how.names);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    auto prompt = offer.prompts[i];
    prompt.handler = prompt_route(route, prompt.name);
    if (offer.completes) prompt.completer = prompt_completer(route, prompt.name);
    prompt.name = shown[i];
    builder.add(std::move(prompt));
  }
}

}  // namespace

void show_entries(Route route, ShownNames names, ShowOptions how, mcp::Registry::Builder& builder) {
  auto const offer = route.server.offer();
  if (offer == nullptr) return;
  show_tools(route, *offer, names.tools, how, builder);
  show_resources(route, *offer, builder);
  show_prompts(route, *offer, names.prompts, how, builder);
}

}  // namespace sallyport::upstream
