#include "src/http/sse.hpp"

#include <algorithm>

namespace sallyport::http {
namespace {

void append_line(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  // SECURITY: a line end in a one-line field would let its author forge further fields.
  std::ranges::copy_if(value, std::back_inserter(out),
                       [](char c) { return c != '\r' && c != '\n' && c != '\0'; });
  out += '\n';
}

// Takes the next line off `rest`. CR, LF and CRLF each end a line, as they do for the client.
std::string_view take_line(std::string_view& rest) {
  auto const end = std::min(rest.find_first_of("\r\n"), rest.size());
  auto const line = rest.substr(0, end);
  rest.remove_prefix(end);
  if (rest.starts_with("\r\n")) {
    rest.remove_prefix(2);
  } else if (!rest.empty()) {
    rest.remove_prefix(1);
  }
  return line;
}

}  // namespace

void append_sse(std::string& out, SseEvent const& event) {
  out.reserve(out.size() + event.data.size() + event.event.size() + event.id.size() + 48);
  if (!event.event.empty()) append_line(out, "event", event.event);
  if (!event.id.empty()) append_line(out, "id", event.id);
  if (event.retry) append_line(out, "retry", std::to_string(event.retry->count()));
  auto rest = event.data;
  bool more = true;
  while (more) {
    auto const before = rest.size();
    auto const line = take_line(rest);
    out += "data: ";
    out += line;
    out += '\n';
    // A line end at the very end stands before one more, empty line.
    more = line.size() < before;
  }
  out += '\n';
}

std::string to_sse(SseEvent const& event) {
  std::string out;
  append_sse(out, event);
  return out;
}

std::string sse_comment(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    out += ": ";
    out += take_line(text);
    out += '\n';
  }
  if (out.empty()) out = ":\n";
  out += '\n';
  return out;
}

}  // namespace sallyport::http
