#include "src/mcp/tool.hpp"

#include "src/json/write.hpp"
#include "src/mcp/content.hpp"

#include <utility>

namespace sallyport::mcp {

ToolResult text_result(std::string_view text) {
  ToolResult result;
  result.content.push_back(content::text(text));
  return result;
}

ToolResult error_result(std::string_view text) {
  auto result = text_result(text);
  result.is_error = true;
  return result;
}

ToolResult structured_result(json::Value value) {
  auto result = text_result(json::to_text(value));
  result.structured = std::move(value);
  return result;
}

}  // namespace sallyport::mcp
