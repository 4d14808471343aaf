// Sockets that block, as the client and the origin of `./dev bench streams` use them.
#pragma once

#include <fmt/format.h>

#include <arpa/inet.h>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace bench {

[[noreturn]] inline void give_up(std::string_view why) {
  fmt::print(stderr, "streams: {}\n", why);
  std::exit(1);
}

inline sockaddr_in on_loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// A connection with what has been received of it. Reading gives nothing when the peer is gone.
class Wire {
 public:
  explicit Wire(int socket) : socket_{socket} {
    int const on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  ~Wire() {
    if (socket_ >= 0) ::close(socket_);
  }
  Wire(Wire const&) = delete;
  Wire& operator=(Wire const&) = delete;

  static Wire to(std::uint16_t port) {
    int const socket = ::socket(AF_INET, SOCK_STREAM, 0);
    auto const address = on_loopback(port);
    if (::connect(socket, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0) {
      give_up("nobody listens");
    }
    return Wire{socket};
  }

  // The socket stays open, and is nobody's.
  void let_go() { socket_ = -1; }

  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      auto const count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  // What is received and not skipped; valid until more is received.
  std::string_view held() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void skip(std::size_t bytes) {
    begin_ += bytes;
    if (begin_ == end_) begin_ = end_ = 0;
  }

  bool receive_some() {
    constexpr std::size_t kLeast = 256UL * 1024;
    if (buffer_.size() - end_ < kLeast && begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= std::exchange(begin_, 0);
    }
    if (buffer_.size() - end_ < kLeast) buffer_.resize(buffer_.size() * 2 + kLeast);
    auto const count = ::recv(socket_, buffer_.data() + end_, buffer_.size() - end_, 0);
    if (count <= 0) return false;
    end_ += static_cast<std::size_t>(count);
    return true;
  }

  bool hold(std::size_t bytes) {
    while (held().size() < bytes) {
      if (!receive_some()) return false;
    }
    return true;
  }

  // How long it is up to the end of that, which is received then.
  std::optional<std::size_t> hold_until(std::string_view end) {
    for (;;) {
      auto const at = held().find(end);
      if (at != std::string_view::npos) return at + end.size();
      if (!receive_some()) return std::nullopt;
    }
  }

  // Without keeping any of it.
  bool drop(std::size_t bytes) {
    while (bytes > 0) {
      if (held().empty() && !receive_some()) return false;
      auto const now = std::min(bytes, held().size());
      skip(now);
      bytes -= now;
    }
    return true;
  }

 private:
  int socket_;
  std::string buffer_;
  std::size_t begin_{0};
  std::size_t end_{0};
};

// The value of a field of a head, whose names may be in any case.
inline std::optional<std::string_view> field(std::string_view head, std::string_view name) {
  for (auto at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at)) {
    at += 2;
    if (head.size() - at <= name.size() || head[at + name.size()] != ':') continue;
    if (::strncasecmp(head.data() + at, name.data(), name.size()) != 0) continue;
    auto value = head.substr(at + name.size() + 1);
    value = value.substr(0, value.find("\r\n"));
    while (value.starts_with(' ')) value.remove_prefix(1);
    return value;
  }
  return std::nullopt;
}

}  // namespace bench
