#include "src/http/response_head.hpp"

#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace sallyport::http {
namespace {

bool is_decided_by_server(std::string_view name) noexcept {
  switch (name.size()) {
    case 4: return equals_ignoring_case(name, "Date");
    case 10: return equals_ignoring_case(name, "Connection");
    case 14: return equals_ignoring_case(name, "Content-Length");
    case 17: return equals_ignoring_case(name, "Transfer-Encoding");
    default: return false;
  }
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  auto const start = static_cast<std::ptrdiff_t>(out.size());
  out += value;
  // SECURITY: a line end in a value would start a field, or a response, of its author's choice.
  std::replace_if(
      out.begin() + start, out.end(), [](char c) { return !is_field_value_char(c); }, ' ');
  out += "\r\n";
}

void append_status_line(std::string& out, int status) {
  if (status == 200) {
    out += "HTTP/1.1 200 OK\r\n";
    return;
  }
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\n", status, reason_phrase(status));
}

void append_framing(std::string& out, Response const& response, ResponseFraming const& framing) {
  bool const body = may_have_body(response.status);
  if (body && framing.content_length) {
    out += "Content-Length: ";
    out += fmt::format_int{*framing.content_length}.c_str();
    out += "\r\n";
  } else if (body && !framing.http_1_0) {
    out += "Transfer-Encoding: chunked\r\n";
  }
  if (!framing.keep_alive) {
    out += "Connection: close\r\n";
  } else if (framing.http_1_0) {
    out += "Connection: keep-alive\r\n";
  }
}

}  // namespace

void append_response_head(std::string& out, Response const& response,
                          ResponseFraming const& framing) {
  append_status_line(out, response.status);
  out += "Date: ";
  out += framing.date;
  out += "\r\n";
  if (!response.content_type.empty()) append_field(out, "Content-Type", response.content_type);
  append_framing(out, response, framing);
  for (auto const& [name, value] : response.headers) {
    if (is_token(name) && !is_decided_by_server(name)) append_field(out, name, value);
  }
  out += "\r\n";
}

}  // namespace sallyport::http
