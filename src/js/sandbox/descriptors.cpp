#include "src/js/sandbox/descriptors.hpp"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sallyport::js::sandbox {

Packet receive_packet(int socket, ReceivePacket how) {
  Packet packet;
  // More than one descriptor does not fit: the kernel closes the others.
  alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(int))];
  iovec space{.iov_base = packet.bytes.data(), .iov_len = packet.bytes.size()};
  msghdr message{};
  message.msg_iov = &space;
  message.msg_iovlen = 1;
  message.msg_control = ancillary;
  message.msg_controllen = sizeof ancillary;
  int const flags = MSG_CMSG_CLOEXEC | (how == ReceivePacket::AtOnce ? MSG_DONTWAIT : 0);
  do {
    packet.size = ::recvmsg(socket, &message, flags);
  } while (packet.size < 0 && errno == EINTR);
  if (packet.size < 0) return packet;
  packet.is_cut = (message.msg_flags & MSG_TRUNC) != 0;
  auto const* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    std::memcpy(&packet.descriptor, CMSG_DATA(header), sizeof packet.descriptor);
  }
  return packet;
}

bool send_packet(int socket, std::string_view bytes, int descriptor) {
  alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(int))]{};
  iovec data{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = ancillary;
  message.msg_controllen = sizeof ancillary;
  auto* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  return ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

int keep_only(int descriptor) noexcept {
  constexpr int kKept = 0;
  // 1 and 2 are closed, too: what the engine prints when it dies is not for the gateway's log,
  // where a script could fill it.
  bool const is_kept = (descriptor == kKept || ::dup2(descriptor, kKept) == kKept) &&
                       ::syscall(SYS_close_range, static_cast<unsigned>(kKept + 1), ~0U, 0U) == 0;
  return is_kept ? kKept : -1;
}

}  // namespace sallyport::js::sandbox
