// A request of an app whose answer may come as a stream, or whose body does.
#pragma once

#include "src/tools/streams/stream_tools.hpp"

namespace sallyport::tools {

enum class Streamed {
  Maybe,  // where the body is long, or does not end soon
  Always,
};

// `arguments` name a view.
Task<mcp::ToolResult> streamed_request(SharedParts parts, Caller caller,
                                       json::Object const& arguments, Streamed when);

// With a body that the view pushes: the answer's head comes as a frame.
Task<mcp::ToolResult> upload_request(SharedParts parts, Caller caller,
                                     json::Object const& arguments);

// The limit of a stream as the road takes it.
inline std::size_t most_bytes(StreamOptions const& options) {
  return options.total_bytes == 0 ? std::size_t{1} << 62U : options.total_bytes;
}

// Keeps the call's place among the others until `task` has ended.
Task<void> within(std::shared_ptr<AppCall> call, Task<void> task);

bool is_event_stream(http::Headers const& headers);

// A call that may go on after its request: without the request's deadline.
RequestContext lasting(RequestContext const& request);

}  // namespace sallyport::tools
