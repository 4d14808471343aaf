// A tool: what the client sees of it, and the coroutine behind it.
#pragma once

#include "src/mcp/call_context.hpp"

#include <functional>
#include <optional>
#include <string>

namespace sallyport::mcp {

// Whether a call may, or must, become a task that the client polls.
enum class TaskSupport { Forbidden, Optional, Required };
// When it becomes one: before the handler runs, or where the handler says start_task().
enum class TaskStart { AtOnce, ByHandler };

struct ToolResult {
  json::Array content;
  std::optional<json::Value> structured;  // must satisfy the output schema
  // Instead of it: an object as JSON text, which goes out as it is, without content or `_meta`
  // beside it. For megabytes, of tools that are no tasks.
  std::string structured_text{};
  bool is_error{false};
  json::Object meta;
};

ToolResult text_result(std::string_view text);
ToolResult error_result(std::string_view text);
// The value, and its JSON text for clients that only read text.
ToolResult structured_result(json::Value value);

// `arguments` satisfy the input schema (a foreign tool's may not) and live as long as the call. A
// failure becomes a result
// with `isError` that shows the message; Internal becomes a JSON-RPC error.
using ToolHandler = std::function<Task<ToolResult>(CallContext&, json::Object const& arguments)>;

struct Tool {
  std::string name;
  std::string title;
  std::string description;
  json::Object input_schema{{"type", "object"}};
  std::optional<json::Value> output_schema;
  json::Object annotations;
  json::Array icons;
  json::Object meta;
  TaskSupport task_support{TaskSupport::Forbidden};
  TaskStart task_start{TaskStart::AtOnce};
  // Client capabilities without which the tool cannot work, e.g. {"sampling": {}}.
  json::Object required_capabilities;
  // Of another server, which checks arguments and results itself: we do not compile its schemas.
  bool foreign{false};
  std::string server{};  // whose it is, and what it is called there; empty: ours
  std::string original{};
  bool listed{true};  // false: whoever knows its name can call it
  ToolHandler handler;
};

}  // namespace sallyport::mcp
