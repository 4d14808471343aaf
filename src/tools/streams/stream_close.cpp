#include "src/tools/streams/stream_arguments.hpp"
#include "src/tools/streams/stream_tools.hpp"

#include <utility>

namespace sallyport::tools {
namespace {

Result<json::Object> close_streams(StreamParts const& parts, RequestContext const& request,
                                   json::Object const& arguments) {
  SP_TRY(auto const key, view_key(request, arguments));
  std::vector<std::string> ids;
  if (auto const* list = json::find_array(arguments, "ids")) {
    for (auto const& id : *list) {
      if (id.is_string()) ids.emplace_back(json::view(id.get_string()));
    }
  }
  if (arguments.contains("id")) ids.push_back(string_argument(arguments, "id"));
  auto const closed =
      flag_argument(arguments, "all") ? parts.views.close_all(key) : parts.views.close(key, ids);
  json::Array names;
  for (auto const& id : closed) names.emplace_back(id);
  return json::Object{{"closed", std::move(names)}};
}

Task<mcp::ToolResult> run_stream_close(SharedParts parts, mcp::CallContext& context,
                                       json::Object const& arguments) {
  auto closed = close_streams(*parts, context.request(), arguments);
  if (!closed) co_return failure_result(closed.error());
  co_return facts_result(std::move(*closed));
}

}  // namespace

mcp::Tool stream_close(SharedParts parts) {
  auto tool = stream_tool("stream_close", "Close streams",
                          "Ends streams of the view, and what is behind them, at once.", R"json({
    "ids": {"type": "array", "items": {"type": "string"}},
    "id": {"type": "string"},
    "all": {"type": "boolean", "description": "Instead: all streams of the view"}})json");
  tool.handler = [parts = std::move(parts)](mcp::CallContext& context,
                                            json::Object const& arguments) {
    return run_stream_close(parts, context, arguments);
  };
  return tool;
}

}  // namespace sallyport::tools
