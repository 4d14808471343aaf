// Server-sent events as text (https://html.spec.whatwg.org/multipage/server-sent-events.html).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::http {

struct SseEvent {
  std::string_view event;  // empty: the default type, "message"
  std::string_view id;     // empty: no id field
  std::string_view data;   // may hold line ends; each line becomes a field
  std::optional<std::chrono::milliseconds> retry;
};

// Appends one event in wire form to `out`. Line ends inside `event` and `id`, and NUL in `id`,
// would end the field or void it: they are left out. An event without data is framed with an empty
// data field, for a client drops an event that has none.
void append_sse(std::string& out, SseEvent const& event);
std::string to_sse(SseEvent const& event);

// A line that clients ignore; keeps proxies from closing a quiet stream.
std::string sse_comment(std::string_view text);

}  // namespace sallyport::http
