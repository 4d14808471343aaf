// A proxy that tunnels (CONNECT) and remembers what it was asked: a script for an Origin.
//
//   ProxyLog log;
//   Origin proxy{connect_proxy(log)};
#pragma once

#include "tests/support/origin.hpp"

#include <mutex>
#include <poll.h>
#include <string>
#include <vector>

namespace sallyport::test {

class ProxyLog {
 public:
  void add(std::string head) {
    std::lock_guard const lock{mutex_};
    heads_.push_back(std::move(head));
  }
  std::vector<std::string> heads() const {
    std::lock_guard const lock{mutex_};
    return heads_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> heads_;
};

namespace detail {

inline bool copy_some(int from, int to) {
  char piece[16384];
  auto const count = recv(from, piece, sizeof piece, 0);
  return count > 0 && send(to, piece, static_cast<std::size_t>(count), MSG_NOSIGNAL) == count;
}

inline void relay(int left, int right) {
  pollfd both[2] = {{left, POLLIN, 0}, {right, POLLIN, 0}};
  while (poll(both, 2, -1) > 0) {
    if (both[0].revents != 0 && !copy_some(left, right)) return;
    if (both[1].revents != 0 && !copy_some(right, left)) return;
  }
}

}  // namespace detail

// Whatever host is asked for, the tunnel leads to that port of 127.0.0.1.
inline Origin::Script connect_proxy(ProxyLog& log) {
  return [&log](Origin::Connection& peer) {
    auto const head = peer.receive_request();
    log.add(head);
    auto const end = head.find(" HTTP/1.1");
    auto const colon = head.rfind(':', end);
    if (!head.starts_with("CONNECT ") || colon == std::string::npos) {
      peer.send("HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(std::stoul(head.substr(colon + 1))));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int const socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) {
      peer.send("HTTP/1.1 200 Connection established\r\n\r\n");
      detail::relay(peer.socket(), socket);
    } else {
      peer.send("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
    }
    close(socket);
  };
}

}  // namespace sallyport::test
