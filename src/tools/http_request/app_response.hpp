// What an app gets back from `http_request`.
#pragma once

#include "src/http/cache_entry.hpp"
#include "src/mcp/tool.hpp"
#include "src/tools/http_request/app_request.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::tools {

struct AppResponse {
  http::CacheableResponse http;
  std::string method;  // of the request: an answer to HEAD has no body
  std::string url;     // as the app sees it
  bool redirected{false};
  bool opaque_redirect{false};
  ResponseType response_type{ResponseType::Auto};
  std::vector<std::string> dropped_headers;
};

mcp::ToolResult to_result(AppResponse const& response);

// Without a body: status, headers and where it came from.
json::Object head_members(AppResponse const& response);
// A result whose body comes as the stream that `stream` describes.
mcp::ToolResult stream_result(AppResponse const& response, json::Object stream);

// A failure as the wrapper in the app needs it: a sentence, and a code under `_meta`.
mcp::ToolResult to_result(Error const& error, std::string_view call_id = {});

}  // namespace sallyport::tools
