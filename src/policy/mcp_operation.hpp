// What can be asked of an MCP server on somebody's behalf, and what each is called.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace sallyport::policy {

enum class McpOperation { CallTool, ReadResource, GetPrompt };

struct McpWords {
  std::string_view method;     // in the protocol, and in the record of it
  std::string_view operation;  // in a policy's input
  std::string_view member;     // … where it has the name, or the URI
  std::string_view noun;       // to people
};

inline constexpr std::array kMcpWords{
    McpWords{"tools/call", "mcp_call_tool", "tool", "tool"},
    McpWords{"resources/read", "mcp_read_resource", "uri", "resource"},
    McpWords{"prompts/get", "mcp_get_prompt", "prompt", "prompt"},
};

constexpr McpWords const& words_of(McpOperation operation) {
  return kMcpWords[static_cast<std::size_t>(operation)];
}

// Whether it stands for one of them where a record has the method of an HTTP request.
constexpr bool is_mcp_method(std::string_view method) {
  return std::ranges::find(kMcpWords, method, &McpWords::method) != kMcpWords.end();
}

}  // namespace sallyport::policy
