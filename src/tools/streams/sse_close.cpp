#include "src/tools/streams/stream_arguments.hpp"
#include "src/tools/streams/stream_tools.hpp"

#include <utility>

namespace sallyport::tools {
namespace {

Task<mcp::ToolResult> run_sse_close(SharedParts parts, mcp::CallContext& context,
                                    json::Object const& arguments) {
  auto const key = view_key(context.request(), arguments);
  if (!key) co_return failure_result(key.error());
  if (parts->views.close(*key, {string_argument(arguments, "connectionId")}).empty()) {
    co_return failure_result(fail(Errc::NotFound, "There is no such stream."));
  }
  co_return facts_result({});
}

}  // namespace

mcp::Tool sse_close(SharedParts parts) {
  auto tool = stream_tool("sse_close", "Close an event stream", "Ends an event stream at once.",
                          R"json({"connectionId": {"type": "string"}})json", {"connectionId"});
  tool.handler = [parts = std::move(parts)](mcp::CallContext& context,
                                            json::Object const& arguments) {
    return run_sse_close(parts, context, arguments);
  };
  return tool;
}

}  // namespace sallyport::tools
