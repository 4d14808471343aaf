#include "src/js/sandbox/run_socket.hpp"

#include "src/js/sandbox/limits.hpp"

#include <cerrno>
#include <poll.h>
#include <string>
#include <sys/socket.h>

namespace sallyport::js::sandbox {
namespace {

bool only_later() noexcept {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

// What could be sent at once; -1 when the gateway has gone.
ssize_t send_some(int fd, std::string_view bytes) noexcept {
  auto const sent = ::send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent < 0 && only_later() ? 0 : sent;
}

}  // namespace

void RunSocket::send(FrameKind kind, std::uint32_t call, std::string_view payload) {
  if (fd_ < 0) return;
  std::string frame;
  frame.reserve(kFrameHead + payload.size());
  append_frame(frame, kind, call, payload);
  std::string_view rest{frame};
  in_frame_ = true;
  while (true) {
    auto const sent = send_some(fd_, rest);
    if (sent < 0) end_process(ExitCode::GatewayGone);
    rest.remove_prefix(static_cast<std::size_t>(sent));
    if (rest.empty()) break;
    if (rest.size() == frame.size()) in_frame_ = false;  // nothing has left yet
    pollfd wanted{.fd = fd_, .events = POLLIN | POLLOUT, .revents = 0};
    ::poll(&wanted, 1, -1);
    if ((wanted.revents & POLLIN) != 0) receive();
    in_frame_ = true;
  }
  in_frame_ = false;
}

void RunSocket::send_last_words(std::string_view frame) noexcept {
  if (fd_ < 0 || in_frame_) return;
  while (!frame.empty()) {
    auto const sent = send_some(fd_, frame);
    if (sent < 0) return;
    frame.remove_prefix(static_cast<std::size_t>(sent));
    if (frame.empty()) return;
    pollfd wanted{.fd = fd_, .events = POLLOUT, .revents = 0};
    ::poll(&wanted, 1, -1);
  }
}

std::optional<Frame> RunSocket::next() {
  auto frame = reader_.next();
  if (!frame && fd_ >= 0) {
    receive();
    frame = reader_.next();
  }
  if (reader_.broken()) end_process(ExitCode::BrokenFrame);
  return frame;
}

void RunSocket::wait(int milliseconds) {
  if (fd_ < 0) return;
  pollfd wanted{.fd = fd_, .events = POLLIN, .revents = 0};
  ::poll(&wanted, 1, milliseconds);
}

void RunSocket::receive() {
  while (receive_some()) {
  }
}

// Whether there may be more.
bool RunSocket::receive_some() {
  char bytes[64 * 1024];
  auto const count = ::recv(fd_, bytes, sizeof bytes, MSG_DONTWAIT);
  if (count < 0 && only_later()) return errno == EINTR;
  if (count <= 0) end_process(ExitCode::GatewayGone);
  reader_.add({bytes, static_cast<std::size_t>(count)});
  return static_cast<std::size_t>(count) == sizeof bytes;
}

}  // namespace sallyport::js::sandbox
