#include "src/upstream/catalog/search_tools.hpp"

#include "src/mcp/codec.hpp"
#include "src/mcp/run_tool.hpp"
#include "src/upstream/catalog/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace sallyport::upstream {
namespace {

constexpr std::int64_t kDefaultFound = 10;
constexpr std::int64_t kMostFound = 50;
constexpr std::size_t kProposals = 3;
constexpr std::size_t kLongestSentence = 200;

bool is_search_tool(std::string_view name) {
  return name == kFindTools || name == kDescribeTool || name == kCallTool;
}

// SECURITY: who searches for tools is a model, unless it is known to be something else: tools for
// apps alone are not for it.
bool is_callable(mcp::RegisteredTool const& tool, CallerKind caller) {
  auto const searcher = caller == CallerKind::Unknown ? CallerKind::Model : caller;
  return tool.visible_to(searcher) && !is_search_tool(tool.tool.name);
}

Task<mcp::ToolResult> given(mcp::ToolResult result) {
  co_return result;
}

std::string_view text_argument(json::Object const& arguments, std::string_view name) {
  auto const* const text = json::find_string(arguments, name);
  return text == nullptr ? std::string_view{} : json::view(*text);
}

json::Object text_schema(std::string_view description) {
  return {{"type", "string"}, {"description", description}};
}

mcp::Tool search_tool(std::string_view name, std::string_view title, std::string_view description,
                      json::Object properties, json::Array required) {
  mcp::Tool tool;
  tool.name = name;
  tool.title = title;
  tool.description = description;
  tool.input_schema = {{"type", "object"},
                       {"properties", std::move(properties)},
                       {"required", std::move(required)},
                       {"additionalProperties", false}};
  return tool;
}

mcp::Tool find_tools_definition() {
  json::Object properties{{"query", text_schema("What the tool should do, in a few words.")},
                          {"server", text_schema("Only tools of this server.")},
                          {"limit", json::Object{{"type", "integer"},
                                                 {"minimum", 1},
                                                 {"maximum", kMostFound},
                                                 {"default", kDefaultFound}}}};
  auto tool = search_tool(
      kFindTools, "Find tools",
      "Finds tools by what they do. Many tools are available that are not listed: look for one "
      "here, read its arguments with describe_tool, and use it with call_tool.",
      std::move(properties), {"query"});
  tool.annotations = {{"readOnlyHint", true}, {"openWorldHint", false}};
  return tool;
}

mcp::Tool describe_tool_definition() {
  auto tool = search_tool(kDescribeTool, "Describe a tool",
                          "Gives the complete definition of a tool that find_tools has found: its "
                          "description and the schema of its arguments.",
                          {{"name", text_schema("The name that find_tools gave.")}}, {"name"});
  tool.annotations = {{"readOnlyHint", true}, {"openWorldHint", false}};
  return tool;
}

mcp::Tool call_tool_definition() {
  return search_tool(kCallTool, "Call a tool",
                     "Calls a tool that find_tools has found, with arguments that fit the "
                     "inputSchema that describe_tool gives. Its result is what the tool gives.",
                     {{"name", text_schema("The name that find_tools gave.")},
                      {"arguments", json::Object{{"type", "object"}}}},
                     {"name"});
}

}  // namespace

std::shared_ptr<ToolSearch> ToolSearch::create(SearchSource source) {
  return std::shared_ptr<ToolSearch>{new ToolSearch{std::move(source)}};
}

ToolSearch::ToolSearch(SearchSource source)
    : source_{std::move(source)}, index_{std::make_shared<SearchIndex const>(nullptr)} {}

void ToolSearch::prepare(std::shared_ptr<mcp::Registry const> registry) {
  index_.publish(std::make_shared<SearchIndex const>(std::move(registry)));
}

SearchIndex const& ToolSearch::index() {
  auto registry = source_.registry();
  auto const& latest = index_.here();
  if (latest.registry() == registry) return latest;
  prepare(std::move(registry));
  return index_.here();
}

json::Object ToolSearch::summary(mcp::Tool const& tool) const {
  json::Object shown{{"name", tool.name}};
  if (!tool.title.empty()) shown["title"] = tool.title;
  auto sentence = first_sentence(tool.description);
  if (!sentence.empty()) shown["description"] = std::move(sentence);
  auto server = source_.server_of ? source_.server_of(tool.name) : std::string{};
  if (!server.empty()) shown["server"] = std::move(server);
  return shown;
}

mcp::ToolResult ToolSearch::find(CallerKind caller, json::Object const& arguments) {
  auto const server = sanitize(text_argument(arguments, "server"));
  auto const is_wanted = [&](mcp::RegisteredTool const& tool) {
    if (!is_callable(tool, caller)) return false;
    if (server.empty()) return true;
    return source_.server_of && sanitize(source_.server_of(tool.tool.name)) == server;
  };
  auto const* const most = arguments.if_contains("limit");
  auto const wanted = most != nullptr && most->is_int64() ? most->get_int64() : kDefaultFound;
  auto const limit = static_cast<std::size_t>(std::clamp<std::int64_t>(wanted, 1, kMostFound));
  auto const& searched = index();
  auto const found = searched.find(text_argument(arguments, "query"), is_wanted);
  json::Array shown;
  for (std::size_t i = 0; i < found.size() && i < limit; ++i) {
    shown.push_back(summary(searched.registry()->tools()[found[i]].tool));
  }
  return mcp::structured_result(json::Object{{"tools", std::move(shown)}, {"total", found.size()}});
}

mcp::ToolResult ToolSearch::no_such_tool(CallerKind caller, std::string_view name) {
  auto const& searched = index();
  auto found = searched.find(
      name, [&](mcp::RegisteredTool const& tool) { return is_callable(tool, caller); });
  if (found.size() > kProposals) found.resize(kProposals);
  std::vector<std::string> names;
  for (auto const i : found) names.push_back(searched.registry()->tools()[i].tool.name);
  auto const shown = name.substr(0, kLongestSentence);
  if (names.empty()) return mcp::error_result(fmt::format("There is no tool '{}'.", shown));
  return mcp::error_result(
      fmt::format("There is no tool '{}'. Perhaps: {}.", shown, fmt::join(names, ", ")));
}

mcp::ToolResult ToolSearch::describe(CallerKind caller, json::Object const& arguments) {
  auto const name = text_argument(arguments, "name");
  auto const registry = source_.registry();
  auto const* const tool = registry == nullptr ? nullptr : registry->tool(name);
  if (tool == nullptr || !is_callable(*tool, caller)) return no_such_tool(caller, name);
  return mcp::structured_result(mcp::codec::tool(tool->tool, mcp::kModern));
}

Task<mcp::ToolResult> ToolSearch::call(std::shared_ptr<ToolSearch> self, mcp::CallContext& context,
                                       json::Object const& arguments) {
  auto const caller = context.request().principal.kind;
  auto const name = text_argument(arguments, "name");
  auto const registry = self->source_.registry();  // as long as the call runs
  auto const* const tool = registry == nullptr ? nullptr : registry->tool(name);
  if (tool == nullptr || !is_callable(*tool, caller)) co_return self->no_such_tool(caller, name);
  json::Value const none(json::Object{});
  auto const* const passed = arguments.if_contains("arguments");
  co_return co_await mcp::run_tool(*tool, context, passed == nullptr ? none : *passed);
}

std::vector<mcp::Tool> ToolSearch::tools() {
  auto const self = shared_from_this();
  auto const at_once =
      [self](mcp::ToolResult (ToolSearch::*method)(CallerKind, json::Object const&)) {
        return [self, method](mcp::CallContext& context, json::Object const& arguments) {
          return given(((*self).*method)(context.request().principal.kind, arguments));
        };
      };
  std::vector<mcp::Tool> all;
  all.push_back(find_tools_definition());
  all.back().handler = at_once(&ToolSearch::find);
  all.push_back(describe_tool_definition());
  all.back().handler = at_once(&ToolSearch::describe);
  all.push_back(call_tool_definition());
  all.back().handler = [self](mcp::CallContext& context, json::Object const& arguments) {
    return call(self, context, arguments);
  };
  return all;
}

bool stays_listed(mcp::Tool const& tool) {
  auto const* const ui = json::find_object(tool.meta, "ui");
  return (ui != nullptr && json::find_string(*ui, "resourceUri") != nullptr) ||
         json::find_string(tool.meta, "ui/resourceUri") != nullptr;
}

std::string first_sentence(std::string_view description) {
  auto const start = description.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return {};
  description.remove_prefix(start);
  auto end = std::min(description.find_first_of("\r\n"), description.size());
  if (auto const stop = description.find(". "); stop < end) end = stop + 1;
  if (end <= kLongestSentence) return std::string{description.substr(0, end)};
  end = kLongestSentence;
  while (end > 0 && (static_cast<unsigned char>(description[end]) & 0xC0U) == 0x80U) --end;
  return std::string{description.substr(0, end)} + "...";
}

}  // namespace sallyport::upstream
