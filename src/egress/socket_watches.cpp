#include "src/egress/socket_watches.hpp"

#include <cstddef>
#include <sys/epoll.h>
#include <utility>

namespace sallyport::egress {

void SocketWatches::want(curl_socket_t socket, int what) {
  auto& watch = at(socket);
  if (what == CURL_POLL_REMOVE) {
    watch.wanted = 0;
    return;
  }
  watch.wanted = ((what & CURL_POLL_IN) != 0 ? std::uint32_t{EPOLLIN} : 0U) |
                 ((what & CURL_POLL_OUT) != 0 ? std::uint32_t{EPOLLOUT} : 0U);
  if (watch.wanted == watch.registered) return;
  epoll_event event{.events = watch.wanted, .data = {.fd = socket}};
  epoll_ctl(epoll_, watch.registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event);
  watch.registered = watch.wanted;
}

void SocketWatches::forget(curl_socket_t socket) {
  at(socket) = {};
}

int SocketWatches::translate(curl_socket_t socket, std::uint32_t events) {
  auto& watch = at(socket);
  if (watch.wanted == 0) {
    // The peer closed a pooled connection. libcurl finds out when it wants to use it; until then
    // epoll would report it again and again.
    if (std::exchange(watch.registered, 0) != 0) {
      epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
    }
    return 0;
  }
  int mask = 0;
  if ((events & EPOLLIN) != 0) mask |= CURL_CSELECT_IN;
  if ((events & EPOLLOUT) != 0) mask |= CURL_CSELECT_OUT;
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) mask |= CURL_CSELECT_ERR;
  return mask;
}

SocketWatches::Watch& SocketWatches::at(curl_socket_t socket) {
  auto const index = static_cast<std::size_t>(socket);
  if (index >= watches_.size()) watches_.resize(index + 64);
  return watches_[index];
}

}  // namespace sallyport::egress
