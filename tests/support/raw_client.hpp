// A client that sends exactly the bytes it is told to, for servers under test. Blocking: use it
// from the test's thread while the server runs in others.
#pragma once

#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

namespace sallyport::test {

struct RawResponse {
  int status{0};      // 0: the connection ended before a whole head came
  std::string head;   // with the empty line
  std::string body;   // chunks put together
  bool whole{false};  // the body came to its announced end

  bool has(std::string_view line) const {
    return head.find("\r\n" + std::string{line} + "\r\n") != std::string::npos;
  }
};

class RawClient {
 public:
  // `receive_buffer`: small ones make a slow reader; 0 leaves the kernel's choice.
  explicit RawClient(std::uint16_t port, int receive_buffer = 0)
      : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    if (receive_buffer > 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    timeval const patience{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    int const on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
        ::connect(socket_, reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0;
  }
  RawClient(RawClient&& other) noexcept
      : socket_{std::exchange(other.socket_, -1)},
        connected_{other.connected_},
        unread_{std::move(other.unread_)} {}
  RawClient& operator=(RawClient&&) = delete;
  ~RawClient() { close(); }

  bool connected() const { return connected_; }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      auto const count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  void finish_sending() { ::shutdown(socket_, SHUT_WR); }

  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  void reset() {
    linger const now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
  }

  // Whether anything comes in that time.
  bool hears_within(std::chrono::milliseconds time) const {
    pollfd descriptor{.fd = socket_, .events = POLLIN, .revents = 0};
    return ::poll(&descriptor, 1, static_cast<int>(time.count())) > 0;
  }

  // The next response on the connection.
  RawResponse receive(bool with_body = true) {
    RawResponse response;
    while (unread_.find("\r\n\r\n") == std::string::npos) {
      if (!receive_some()) return response;
    }
    response.head = take(unread_.find("\r\n\r\n") + 4);
    std::from_chars(response.head.data() + 9, response.head.data() + 12, response.status);
    if (!with_body || response.status < 200 || response.status == 204) {
      response.whole = true;
    } else if (response.has("Transfer-Encoding: chunked")) {
      receive_chunks(response);
    } else if (auto const at = response.head.find("\r\nContent-Length: ");
               at != std::string::npos) {
      receive_sized(response, std::stoul(response.head.substr(at + 18)));
    } else {
      response.body = receive_rest();
      response.whole = true;
    }
    return response;
  }

  // The next chunk of a chunked body, after receive(false). nullopt: the body, or the connection,
  // has come to its end.
  std::optional<std::string> receive_chunk() {
    while (unread_.find("\r\n") == std::string::npos) {
      if (!receive_some()) return std::nullopt;
    }
    auto const size = std::stoul(unread_, nullptr, 16);
    take(unread_.find("\r\n") + 2);
    while (unread_.size() < size + 2) {
      if (!receive_some()) return std::nullopt;
    }
    auto chunk = take(size);
    take(2);
    last_chunk_seen_ = size == 0;
    if (last_chunk_seen_) return std::nullopt;
    return chunk;
  }
  // Whether receive_chunk() came to the announced end.
  bool last_chunk_seen() const { return last_chunk_seen_; }

  // Everything until the peer closes.
  std::string receive_rest() {
    while (receive_some()) {
    }
    return std::exchange(unread_, {});
  }

  // True when the peer closes, in order or not, without sending anything more.
  bool is_closed() { return unread_.empty() && !receive_some(); }
  // True when the last read failed because the peer reset the connection.
  bool was_reset() const { return error_ == ECONNRESET; }

  bool receive_some() {
    char piece[16 * 1024];
    auto const count = ::recv(socket_, piece, sizeof piece, 0);
    error_ = count < 0 ? errno : 0;
    if (count <= 0) return false;
    unread_.append(piece, static_cast<std::size_t>(count));
    return true;
  }

 private:
  std::string take(std::size_t count) {
    auto taken = unread_.substr(0, count);
    unread_.erase(0, count);
    return taken;
  }

  void receive_sized(RawResponse& response, std::size_t size) {
    while (unread_.size() < size) {
      if (!receive_some()) return;
    }
    response.body = take(size);
    response.whole = true;
  }

  void receive_chunks(RawResponse& response) {
    while (auto chunk = receive_chunk()) response.body += *chunk;
    response.whole = last_chunk_seen_;
  }

  int socket_;
  bool connected_{false};
  int error_{0};
  bool last_chunk_seen_{false};
  std::string unread_;
};

}  // namespace sallyport::test
