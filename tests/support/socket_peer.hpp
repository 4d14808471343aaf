// The server's end of a WebSocket, frame by frame, so that a test can break any rule: for the
// script of an Origin.
//
//   Origin origin{[](Origin::Connection& peer) {
//     SocketPeer socket{peer};
//     socket.accept();
//     socket.send(kTextFrame, "hello");
//   }};
#pragma once

#include "src/base/base64.hpp"

#include "tests/support/origin.hpp"

#include <openssl/sha.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::test {

inline constexpr int kContinuation = 0;
inline constexpr int kTextFrame = 1;
inline constexpr int kBinaryFrame = 2;
inline constexpr int kCloseFrame = 8;
inline constexpr int kPingFrame = 9;
inline constexpr int kPongFrame = 10;

enum class Part { Last, More };

struct SocketFrame {
  int kind{0};
  std::string data{};

  // Of a close frame.
  int code() const {
    return data.size() < 2
               ? 0
               : static_cast<unsigned char>(data[0]) * 256 + static_cast<unsigned char>(data[1]);
  }
};

inline std::string close_data(int code, std::string_view reason) {
  return std::string{static_cast<char>(code / 256), static_cast<char>(code % 256)} +
         std::string{reason};
}

class SocketPeer {
 public:
  explicit SocketPeer(Origin::Connection& connection) : connection_{connection} {}

  // Agrees to the handshake, which it returns; `headers` are lines of the answer.
  std::string accept(std::string_view headers = {}) {
    auto request = connection_.receive_request();
    connection_.send(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: "
        "Upgrade\r\nSec-WebSocket-Accept: " +
        accept_key(request) + "\r\n" + std::string{headers} + "\r\n");
    return request;
  }

  // False when the client is gone.
  bool send(int kind, std::string_view data, Part part = Part::Last) {
    std::string head{static_cast<char>(kind | (part == Part::Last ? 0x80 : 0))};
    bool const is_short = data.size() < 65536;
    if (data.size() < 126) {
      head += static_cast<char>(data.size());
    } else {
      head += is_short ? '\x7E' : '\x7F';
      for (int shift = is_short ? 8 : 56; shift >= 0; shift -= 8) {
        head += static_cast<char>(data.size() >> shift);
      }
    }
    return connection_.send(head + std::string{data});
  }
  bool close(int code, std::string_view reason = {}) {
    return send(kCloseFrame, close_data(code, reason));
  }

  // The next frame; nothing when the client is gone.
  std::optional<SocketFrame> receive() {
    auto const head = connection_.receive(2);
    if (head.size() < 2) return std::nullopt;
    std::size_t size = static_cast<unsigned char>(head[1]) & 0x7FU;
    if (size >= 126) {
      auto const more = connection_.receive(size == 126 ? 2 : 8);
      size = 0;
      for (auto const c : more) size = size * 256 + static_cast<unsigned char>(c);
    }
    auto const mask = connection_.receive(4);
    SocketFrame frame{head[0] & 0x0F, connection_.receive(size)};
    if (frame.data.size() < size || mask.size() < 4) return std::nullopt;
    for (std::size_t i = 0; i < size; ++i)
      frame.data[i] = static_cast<char>(frame.data[i] ^ mask[i % 4]);
    return frame;
  }
  // Of the kind; others are passed over.
  std::optional<SocketFrame> receive(int kind) {
    auto frame = receive();
    while (frame && frame->kind != kind) frame = receive();
    return frame;
  }

  // Sends back what comes, also the goodbye.
  void echo() {
    while (auto const frame = receive()) {
      if (frame->kind == kPongFrame) continue;
      if (!send(frame->kind == kPingFrame ? kPongFrame : frame->kind, frame->data)) return;
      if (frame->kind == kCloseFrame) return;
    }
  }

 private:
  static std::string accept_key(std::string const& request) {
    constexpr std::string_view kName = "Sec-WebSocket-Key: ";
    auto const at = request.find(kName) + kName.size();
    auto const text =
        request.substr(at, request.find('\r', at) - at) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
    SHA1(reinterpret_cast<unsigned char const*>(text.data()), text.size(), digest.data());
    return base64::encode({reinterpret_cast<char const*>(digest.data()), digest.size()});
  }

  Origin::Connection& connection_;
};

}  // namespace sallyport::test
