// tools/list and its siblings: pages of entries that the registry has already written.
#include "src/mcp/dispatcher.hpp"
#include "src/mcp/methods.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace sallyport::mcp {
namespace {

// A cursor is the position of the next entry and the list it counts in.
std::string make_cursor(std::size_t position, std::string const& list_id) {
  return fmt::format("{:x}.{}", position, list_id);
}

std::optional<std::size_t> read_cursor(std::string_view cursor, std::string const& list_id) {
  std::size_t position = 0;
  auto const* const end = cursor.data() + cursor.size();
  auto const parsed = std::from_chars(cursor.data(), end, position, 16);
  if (parsed.ec != std::errc{} || parsed.ptr == end || *parsed.ptr != '.') return std::nullopt;
  auto const rest = cursor.substr(static_cast<std::size_t>(parsed.ptr + 1 - cursor.data()));
  return rest == list_id ? std::optional{position} : std::nullopt;
}

std::string_view meta_of(Registry const& registry, Registry::List list) {
  return list == Registry::List::Tools ? std::string_view{registry.about_tools()} : "";
}

template <class Entries, class Shown>
PlainReply list(Dispatcher& dispatcher, Request const& request, std::string_view member,
                Registry::List which, Entries const& entries, Shown const& shown) {
  auto const& fingerprint = dispatcher.registry().fingerprint(which);
  auto const list_id = fmt::format("{}-{}", member, fingerprint);
  std::size_t position = 0;
  if (auto const* cursor = request.params.if_contains("cursor")) {
    auto const* text = cursor->if_string();
    auto const read = text == nullptr ? std::nullopt : read_cursor(json::view(*text), list_id);
    if (!read || *read > entries.size()) {
      return invalid_params(
          "'params.cursor' is not a cursor of this list. Start again without one.");
    }
    position = *read;
  }
  std::string members = fmt::format(R"("{}":[)", member);
  auto const page_size = dispatcher.server().options().page_size;
  auto const revision = request.revision;
  std::size_t listed = 0;
  for (; position < entries.size() && listed < page_size; ++position) {
    if (!shown(entries[position])) continue;
    if (listed++ > 0) members += ',';
    members += entries[position].listed[revision];
  }
  members += ']';
  // No cursor to a page without entries.
  while (position < entries.size() && !shown(entries[position])) ++position;
  if (position < entries.size()) {
    members += fmt::format(R"(,"nextCursor":"{}")", make_cursor(position, list_id));
  }
  // The same list for everybody may be kept by anyone; one that depends on the caller may not.
  auto const& principal = request.context.principal;
  bool const shared = principal.id.empty() && principal.kind == CallerKind::Unknown;
  return dispatcher.format().wrap_with_meta(std::move(members),
                                            meta_of(dispatcher.registry(), which), request.revision,
                                            shared ? Cacheable::Public : Cacheable::Private);
}

constexpr auto kAll = [](auto const&) { return true; };

}  // namespace

PlainReply list_tools(Dispatcher& dispatcher, Request const& request) {
  auto const caller = request.context.principal.kind;
  return list(
      dispatcher, request, "tools", Registry::List::Tools, dispatcher.registry().tools(),
      [&](RegisteredTool const& tool) { return tool.tool.listed && tool.visible_to(caller); });
}

PlainReply list_resources(Dispatcher& dispatcher, Request const& request) {
  return list(dispatcher, request, "resources", Registry::List::Resources,
              dispatcher.registry().resources(), kAll);
}

PlainReply list_templates(Dispatcher& dispatcher, Request const& request) {
  return list(dispatcher, request, "resourceTemplates", Registry::List::Resources,
              dispatcher.registry().templates(), kAll);
}

PlainReply list_prompts(Dispatcher& dispatcher, Request const& request) {
  return list(dispatcher, request, "prompts", Registry::List::Prompts,
              dispatcher.registry().prompts(), kAll);
}

}  // namespace sallyport::mcp
