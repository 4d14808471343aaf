// Three tools in place of thousands: find_tools, describe_tool and call_tool.
//
// A model that is shown every tool of every server reads nothing else. In search mode the tools are
// in the registry, but not in the list (mcp::Tool::listed).
#pragma once

#include "src/base/published.hpp"
#include "src/mcp/registry.hpp"
#include "src/upstream/catalog/search_index.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::upstream {

inline constexpr std::string_view kFindTools = "find_tools";
inline constexpr std::string_view kDescribeTool = "describe_tool";
inline constexpr std::string_view kCallTool = "call_tool";

// Called on any loop.
struct SearchSource {
  std::function<std::shared_ptr<mcp::Registry const>()> registry;
  // Which server a tool is of, by the name in the registry; empty: of ours.
  std::function<std::string(std::string_view)> server_of;
};

class ToolSearch : public std::enable_shared_from_this<ToolSearch> {
 public:
  static std::shared_ptr<ToolSearch> create(SearchSource source);

  // Takes what a search would otherwise take when it is the first of a registry. For whoever
  // replaces the registry, on a thread that may take its time.
  void prepare(std::shared_ptr<mcp::Registry const> registry);

  // The three, for the registry they search in. They keep this object alive.
  std::vector<mcp::Tool> tools();

 private:
  explicit ToolSearch(SearchSource source);

  SearchIndex const& index();
  mcp::ToolResult find(CallerKind caller, json::Object const& arguments);
  mcp::ToolResult describe(CallerKind caller, json::Object const& arguments);
  mcp::ToolResult no_such_tool(CallerKind caller, std::string_view name);
  json::Object summary(mcp::Tool const& tool) const;

  static Task<mcp::ToolResult> call(std::shared_ptr<ToolSearch> self, mcp::CallContext& context,
                                    json::Object const& arguments);

  SearchSource source_;
  Published<SearchIndex> index_;
};

// A host shows the page of a tool only where it has seen the tool in the list.
bool stays_listed(mcp::Tool const& tool);

// Up to the first full stop or line end, and not much of it.
std::string first_sentence(std::string_view description);

}  // namespace sallyport::upstream
