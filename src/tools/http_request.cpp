#include "src/tools/http_request.hpp"

#include "src/tools/http_request/app_gateway.hpp"
#include "src/tools/http_request/schemas.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace sallyport::tools {
namespace {

http::WallTime wall_time() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

}  // namespace

mcp::Tool http_request(HttpRequestOptions options, pipeline::Road& road) {
  auto gateway = std::make_shared<AppGateway>(std::move(options), road, wall_time);
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
  tool.handler = [gateway](mcp::CallContext& context, json::Object const& arguments) {
    return gateway->call(context.request(), arguments);
  };
  return tool;
}

}  // namespace sallyport::tools
