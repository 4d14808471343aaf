// Answers of the HTTP layer itself.
#pragma once

#include "src/http/message.hpp"

#include <string>
#include <string_view>

namespace sallyport::transport {

// `{"error": message}`
http::Response error_response(int status, std::string_view message);

http::Response json_response(int status, std::string body);

// 405 with the methods that would have been allowed.
http::Response method_not_allowed(std::string_view allowed);

// The head of an event stream.
http::Response event_stream_head();

}  // namespace sallyport::transport
