// Writes the head of a response. No I/O.
#pragma once

#include "src/http/message.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::http {

// What the server, not the handler, decides about an answer.
struct ResponseFraming {
  std::optional<std::size_t> content_length;  // none: chunked, or until close for HTTP/1.0
  bool keep_alive{true};
  bool http_1_0{false};  // of the request
  std::string_view date;
};

// Appends the status line and all fields, the empty line included. Fields of `response` that the
// server decides (Content-Length, Transfer-Encoding, Connection, Date) and those whose name is no
// token are left out; control characters in values become spaces.
void append_response_head(std::string& out, Response const& response,
                          ResponseFraming const& framing);

// Whether an answer with this status may have a body (RFC 9110, section 6.4.1).
constexpr bool may_have_body(int status) noexcept {
  return status >= 200 && status != 204 && status != 304;
}

}  // namespace sallyport::http
