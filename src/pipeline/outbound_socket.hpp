// A WebSocket to somewhere else (RFC 6455), opened on the road out.
#pragma once

#include "src/egress/socket.hpp"
#include "src/pipeline/outbound.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::pipeline {

struct SocketRequest {
  std::string url;  // ws or wss (http and https mean the same); absolute unless there is a base
  std::optional<url::Url> base;
  std::vector<std::string> protocols;  // subprotocols, the one liked best first
  http::Headers headers;               // as the caller wrote them: Origin and the like
  bool header_bytes{false};            // as in OutboundRequest

  std::chrono::milliseconds timeout{30'000};      // until it is open
  std::size_t message_bytes{16UL * 1024 * 1024};  // of one message, decompressed
  std::size_t received_bytes{0};                  // of all of them; 0: no end
  std::chrono::milliseconds keep_alive{30'000};   // a ping after so much silence

  // As in OutboundRequest. A handshake that is redirected fails, as the standard has it.
  credentials::Injector const* credentials{nullptr};
  bool inject{true};
  std::vector<egress::Opening> open;
  std::function<void(url::Url const&, http::Headers&)> before_hop;
  std::function<void(url::Url const&, egress::ResponseHead const&)> after_hop;
};

using egress::SocketClosing;
using egress::SocketMessage;

// Of the loop it was opened on. It keeps its place among the calls under way until it is over.
// Destroying it breaks the connection. Its end has a record like its beginning, as with streams.
class OutboundSocket {
 public:
  virtual ~OutboundSocket() = default;

  virtual url::Url const& url() const noexcept = 0;
  virtual std::string const& protocol() const noexcept = 0;    // agreed on; empty: none
  virtual std::string const& extensions() const noexcept = 0;  // as the server named them

  // The next message; nothing once it is closed, and closing() then says how. The server is held
  // back while nobody asks. Pings are answered all the same, until 64 KiB wait. Fails with
  // LimitExceeded (the server sent too much; it is told so, 1009), with Cancelled, and with what
  // the audit log fails with at the end. One call at a time.
  virtual Task<std::optional<SocketMessage>> next() = 0;

  // Returns when the kernel has it: a slow server holds its sender back. One call at a time, while
  // next() may wait. Fails with UpstreamFailed once it is closed or broken.
  virtual Task<void> send(SocketMessage message) = 0;

  // Says goodbye; next() gives what has come, then nothing: what the server sends after that is
  // dropped, as browsers do. One that does not answer is given five seconds. `code` is 1000 or 3000
  // to 4999 (nothing: none), the reason at most 123 bytes; else it fails with InvalidInput.
  // Harmless when it is closed already.
  virtual Task<void> close(std::optional<std::uint16_t> code, std::string reason) = 0;

  virtual SocketClosing const& closing() const noexcept = 0;
};

}  // namespace sallyport::pipeline
