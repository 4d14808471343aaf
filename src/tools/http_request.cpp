#include "src/tools/http_request.hpp"

#include "src/tools/http_request/app_gateway.hpp"
#include "src/tools/http_request/schemas.hpp"
#include "src/tools/streams/stream_tools.hpp"
#include "src/tools/streams/streamed_request.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <utility>

namespace sallyport::tools {
namespace {

http::WallTime wall_time() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

mcp::Tool http_request(std::shared_ptr<AppGateway> gateway, SharedParts streams) {
  mcp::Tool tool;
  tool.name = "http_request";
  tool.title = "HTTP request";
  tool.description =
      "Carries fetch() of an app to the backends that the operator configured, and gives back the "
      "response: status, headers and body. A status of 400 and more is a result like any other.";
  tool.input_schema = http_request_input_schema();
  tool.output_schema = http_request_output_schema();
  tool.annotations = {{"readOnlyHint", false}, {"openWorldHint", true}};
  tool.meta = {{"ui", json::Object{{"visibility", json::Array{"app"}}}}};
  tool.handler = [gateway = std::move(gateway), streams = std::move(streams)](
                     mcp::CallContext& context, json::Object const& arguments) {
    if (!streams || !arguments.contains("view")) {
      return gateway->call(context.request(), arguments);
    }
    return streamed_request(streams, {.request = context.request()}, arguments, Streamed::Maybe);
  };
  return tool;
}

}  // namespace

std::vector<mcp::Tool> app_tools(HttpRequestOptions options, pipeline::Road& road,
                                 stream::Views* views, StreamOptions streams) {
  auto gateway = std::make_shared<AppGateway>(std::move(options), road, wall_time);
  SharedParts parts;
  if (views != nullptr) {
    parts = std::make_shared<StreamParts const>(
        StreamParts{.gateway = gateway, .road = road, .views = *views, .options = streams});
  }
  std::vector<mcp::Tool> tools{http_request(std::move(gateway), parts)};
  if (parts) std::ranges::move(stream_tools(parts), std::back_inserter(tools));
  return tools;
}

}  // namespace sallyport::tools
