// The gateway's end of a run's socket: frames in both directions on one loop.
#pragma once

#include "src/base/descriptor.hpp"
#include "src/base/signal.hpp"
#include "src/base/task.hpp"
#include "src/js/frame.hpp"
#include "src/json/value.hpp"

#include <boost/asio/local/stream_protocol.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::js {

class RunSocket {
 public:
  RunSocket(Executor executor, Descriptor socket);

  // The next frame, or nothing when the script's side has ended. Fails with UpstreamFailed when it
  // breaks the rules.
  Task<std::optional<Frame>> receive();

  // Queued, and written by write_queued().
  void send(FrameKind kind, std::uint32_t call, std::string_view payload);
  void send(FrameKind kind, std::uint32_t call, json::Object const& payload);
  void send_credit(std::uint32_t call, std::size_t bytes);
  // Bytes that wait: who has much to send waits until they are few.
  std::size_t queued() const noexcept { return queued_.size(); }

  // Writes what is queued, and what will be, until it is cancelled or the other side ends.
  Task<void> write_queued();

  // For another loop to go on with, once nobody reads and writes here.
  Descriptor release();

 private:
  using Socket = asio::basic_stream_socket<asio::local::stream_protocol, Executor>;

  Socket socket_;
  Signal has_more_;
  FrameReader reader_;
  std::array<char, 65536> received_{};
  std::string queued_;
};

}  // namespace sallyport::js
