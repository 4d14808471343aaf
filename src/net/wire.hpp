// The bytes of one connection: a socket, with or without TLS on top.
//
// Both sides of the difference live here, so that connection.cpp knows only bytes. The socket is
// non-blocking: what can be had at once is had without a detour through the event loop.
#pragma once

#include "src/base/task.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace sallyport::net {

using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;
using ErrorCode = boost::system::error_code;
using Buffers = std::array<asio::const_buffer, 3>;

class Wire {
 public:
  // `tls` outlives the wire; null: plain text.
  Wire(Socket socket, asio::ssl::context* tls);
  ~Wire();
  Wire(Wire const&) = delete;
  Wire& operator=(Wire const&) = delete;

  bool secure() const noexcept { return tls_ != nullptr; }
  std::string peer_address() const;

  // Nothing to do for plain text.
  Async<ErrorCode> handshake();

  // At least one byte into `space`, or an error (eof included). One read at a time.
  Async<ErrorCode> read_some(asio::mutable_buffer space, std::size_t& count);
  // The same for one that is not awaited. `on_read` must live until it was called.
  void start_read(asio::mutable_buffer space, std::function<void(ErrorCode, std::size_t)> on_read);

  // What of `buffers` the kernel takes now; takes it off them. True when that was all.
  bool write_at_once(Buffers& buffers, ErrorCode& error);
  // Writes all of it. One write at a time.
  Async<ErrorCode> write_rest(Buffers buffers);

  // True when the peer has closed its side or the connection is broken. A system call.
  bool peer_closed();

  // Says that nothing more will be written; with TLS this may take a round trip.
  Async<void> finish_writing();

  // Reads and forgets raw bytes until the peer closes or `max_bytes` came.
  Async<void> discard(std::size_t max_bytes);

  void cancel() noexcept;  // what waits here ends with operation_aborted
  void close() noexcept;   // orderly, as far as the kernel is concerned
  void reset() noexcept;   // the peer gets a RST; what is unsent is lost
  bool is_open() const noexcept { return socket_.is_open(); }

 private:
  struct Tls;

  Socket socket_;
  std::unique_ptr<Tls> tls_;
};

}  // namespace sallyport::net
