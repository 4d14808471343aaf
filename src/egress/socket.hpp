// A WebSocket to one origin (RFC 6455). No policy: by now everything has been decided.
#pragma once

#include "src/base/task.hpp"
#include "src/egress/exchange.hpp"
#include "src/egress/guard.hpp"
#include "src/http/message.hpp"
#include "src/url/url.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::egress {

struct SocketMessage {
  bool text{true};  // then its data is UTF-8
  std::string data;
};

struct SocketClosing {
  std::uint16_t code{1006};  // 1005: it closed without one; 1006: it did not close, it broke
  std::string reason;        // of 1006: what we know about it
};

// A reason for which we close: code and text go to the server. Fails with InvalidInput unless the
// code is 1000 or from 3000 to 4999, or there is none and no reason either, and the reason has at
// most 123 bytes.
Result<void> check_goodbye(std::optional<std::uint16_t> code, std::string_view reason);

struct SocketLimits {
  std::chrono::milliseconds connect{10'000};      // TCP, proxy and TLS
  std::size_t message_bytes{16UL * 1024 * 1024};  // of one message, decompressed
  std::size_t received_bytes{0};                  // of all of them; 0: no end
  // A ping after so much silence; the same again without an answer breaks the connection. 0: none.
  std::chrono::milliseconds keep_alive{30'000};
};

struct SocketDispatch {
  url::Url url;  // ws or wss
  JudgedAddresses addresses;
  http::Headers headers;               // complete but for those of the handshake itself
  std::vector<std::string> protocols;  // tokens; the one liked best first
  SocketLimits limits;
  Deadline deadline;  // until it is open
};

// Of the loop it was opened on. Destroying it breaks the connection.
class Socket {
 public:
  virtual ~Socket() = default;

  virtual std::string const& protocol() const noexcept = 0;
  virtual std::string const& extensions() const noexcept = 0;

  // As pipeline::OutboundSocket has them.
  virtual Task<std::optional<SocketMessage>> next() = 0;
  virtual Task<void> send(SocketMessage message) = 0;
  virtual Task<void> close(std::optional<std::uint16_t> code, std::string reason) = 0;
  virtual SocketClosing const& closing() const noexcept = 0;

  // So far; bytes are those of messages, decompressed.
  virtual ExchangeStats stats() const = 0;
};

// How the server answered the handshake.
struct Handshake {
  ResponseHead head;
  std::unique_ptr<Socket> socket;  // null: it does not agree, and `head` says how it said so
};

// Port: opens WebSockets. BeastConnector (beast_connector.hpp) is the real one.
class SocketConnector {
 public:
  virtual ~SocketConnector() = default;

  // From any loop; resumes there. Fails with UpstreamFailed (connect, TLS, an answer that is not
  // one to a handshake), DeadlineExceeded or Cancelled. `stats` is filled in either way.
  virtual Task<Handshake> open(SocketDispatch dispatch, ExchangeStats& stats) = 0;
};

}  // namespace sallyport::egress
