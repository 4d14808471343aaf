// The `fetch` tool: a page of the web for a model, as Markdown, text or media.
#pragma once

#include "src/mcp/tool.hpp"
#include "src/pipeline/road.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace sallyport::tools {

struct FetchOptions {
  std::vector<std::string> schemes{"http", "https"};
  std::size_t max_redirects{5};
  std::string user_agent{"ModelContextProtocol/1.0 (Fetch Server)"};
  std::chrono::milliseconds timeout{30'000};
  std::chrono::milliseconds max_timeout{120'000};
  std::size_t max_bytes{10UL * 1024 * 1024};  // of a response
  std::size_t default_length{100'000};        // `max_length` where a call names none
  bool robots{true};
  // Read an event stream (text/event-stream) to its end; most have none. Refused otherwise.
  bool event_streams{false};
};

// `road` must outlive every call.
mcp::Tool fetch(FetchOptions options, pipeline::Road& road);

}  // namespace sallyport::tools
