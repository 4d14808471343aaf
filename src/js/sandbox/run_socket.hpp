// The child's end of the socket to the gateway.
//
// Sending waits while the gateway does not read: a script that writes faster than it is read stands
// still, and nothing piles up here. While it waits it takes in what the gateway sends, so that two
// sides that both send cannot wait for each other.
//
// When the gateway has gone nobody is left to tell: the process ends.
#pragma once

#include "src/js/frame.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace sallyport::js::sandbox {

class RunSocket {
 public:
  // Nothing comes from it and nothing gets anywhere: for the runs that only warm the engine.
  RunSocket() = default;
  explicit RunSocket(int fd) noexcept : fd_{fd} {}

  void send(FrameKind kind, std::uint32_t call, std::string_view payload);

  // For what is said from a signal handler or when memory is used up: allocates nothing. Says
  // nothing where a frame has been sent in part: the gateway could not tell them apart.
  void send_last_words(std::string_view frame) noexcept;

  // The next frame that has arrived, without waiting.
  std::optional<Frame> next();

  // Waits until something arrives, or for so many milliseconds; -1: for as long as it takes.
  // Returns early when a signal comes.
  void wait(int milliseconds);

 private:
  void receive();
  bool receive_some();

  int fd_{-1};
  FrameReader reader_;
  bool volatile in_frame_{false};
};

}  // namespace sallyport::js::sandbox
