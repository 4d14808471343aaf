#include "src/transport/plain_response.hpp"

#include "src/json/write.hpp"

#include <utility>

namespace sallyport::transport {

http::Response json_response(int status, std::string body) {
  http::Response response{.status = status, .body = std::move(body)};
  if (!response.body.empty()) response.content_type = "application/json";
  return response;
}

http::Response error_response(int status, std::string_view message) {
  return json_response(status, json::to_text(json::Object{{"error", message}}));
}

http::Response method_not_allowed(std::string_view allowed) {
  auto response = error_response(405, "This method is not allowed here.");
  response.headers.add("Allow", std::string{allowed});
  return response;
}

http::Response event_stream_head() {
  return {.status = 200,
          .content_type = "text/event-stream",
          // Some proxies hold a response back until it is complete.
          .headers = {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}}};
}

}  // namespace sallyport::transport
