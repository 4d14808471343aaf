// Settings of the HTTP side of the protocol.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace sallyport::transport {

struct HttpOptions {
  std::string endpoint{"/mcp"};
  // Bound to loopback: the Host header must name this machine, or one of `allowed_hosts`. Bound
  // elsewhere: checked when `allowed_hosts` is not empty.
  bool loopback{true};
  std::vector<std::string> allowed_hosts;        // names without a port
  std::vector<std::string> allowed_origins;      // besides the server's own; `scheme://host[:port]`
  std::chrono::milliseconds keep_alive{15'000};  // between comments on a quiet stream
  std::size_t stream_queue_bytes{1024 * 1024};   // waiting for a slow reader; then it is cut
  std::size_t json_depth{128};
  // What is kept of the legacy streams of a session (on each loop), to be resumed by its client.
  std::size_t replay_events{1000};
  std::size_t replay_bytes{1024 * 1024};
  std::chrono::seconds replay_time{300};
  std::size_t replay_streams{10'000};  // per loop
};

}  // namespace sallyport::transport
