// Which sockets of libcurl epoll watches, and for what.
//
// A connection that rests in the pool stays registered, since it is likely to be used again: that
// saves two system calls per request. Of the curl thread. Inside egress.
#pragma once

#include <cstdint>
#include <curl/curl.h>
#include <vector>

namespace sallyport::egress {

class SocketWatches {
 public:
  explicit SocketWatches(int epoll) : epoll_{epoll} {}

  // What libcurl wants to know: CURL_POLL_IN, … or CURL_POLL_REMOVE.
  void want(curl_socket_t socket, int what);
  // A new socket has this number now. libcurl does not report every close.
  void forget(curl_socket_t socket);
  // What to tell libcurl about an event (CURL_CSELECT_IN, …); 0: nothing, the connection rests.
  int translate(curl_socket_t socket, std::uint32_t events);

 private:
  struct Watch {
    std::uint32_t registered{0};
    std::uint32_t wanted{0};
  };

  Watch& at(curl_socket_t socket);

  int epoll_;
  std::vector<Watch> watches_;  // by descriptor
};

}  // namespace sallyport::egress
