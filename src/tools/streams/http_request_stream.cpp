#include "src/tools/http_request/schemas.hpp"
#include "src/tools/streams/stream_arguments.hpp"
#include "src/tools/streams/stream_tools.hpp"
#include "src/tools/streams/streamed_request.hpp"

#include <utility>

namespace sallyport::tools {
namespace {

bool wants_upload(json::Object const& arguments) {
  return flag_argument(arguments, "upload") || json::find_object(arguments, "upload") != nullptr;
}

}  // namespace

mcp::Tool http_request_stream(SharedParts parts) {
  auto tool = stream_tool("http_request_stream", "HTTP request with a stream",
                          "As http_request, but the body of the response comes as a stream, to be "
                          "pulled. With `upload` "
                          "the body of the request is pushed.",
                          "{}", {"url"});
  auto schema = http_request_input_schema();
  auto& properties = schema.at("properties").get_object();
  properties["view"] = tool.input_schema.at("properties").at("view");
  properties["upload"] =
      json::Object{{"description", "true, or {length}: the body comes with stream_push"},
                   {"type", json::Array{"boolean", "object"}}};
  tool.input_schema["properties"] = properties;
  tool.handler = [parts = std::move(parts)](mcp::CallContext& context,
                                            json::Object const& arguments) {
    Caller const caller{.request = context.request(), .tool = "http_request_stream"};
    return wants_upload(arguments) ? upload_request(parts, caller, arguments)
                                   : streamed_request(parts, caller, arguments, Streamed::Always);
  };
  return tool;
}

}  // namespace sallyport::tools
