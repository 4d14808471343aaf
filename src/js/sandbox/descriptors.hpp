// Packets that carry a descriptor, and getting rid of descriptors.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <sys/types.h>

namespace sallyport::js::sandbox {

struct Packet {
  ssize_t size{-1};  // -1: an error, see errno; 0: the other end has closed
  std::array<char, 4096> bytes;
  int descriptor{-1};  // that came with it; whoever receives it closes it
  bool is_cut{false};  // it was longer
};

enum class ReceivePacket { AtOnce, Wait };

Packet receive_packet(int socket, ReceivePacket how);

// Without waiting. False: not sent.
bool send_packet(int socket, std::string_view bytes, int descriptor);

// Closes all other descriptors of the process. Its number from now on; -1: they could not be
// closed.
int keep_only(int descriptor) noexcept;

}  // namespace sallyport::js::sandbox
