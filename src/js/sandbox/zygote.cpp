#include "src/js/sandbox/zygote.hpp"

#include "src/js/sandbox/confine.hpp"
#include "src/js/sandbox/memory_use.hpp"
#include "src/js/sandbox/serve_runs.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace sallyport::js::sandbox {
namespace {

constexpr std::size_t kLargestPacket = 4096;
// With so much unsaid no new orders are taken: the gateway has to read first.
constexpr std::size_t kMostUnsaid = 10'000;

int watch_children() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  return ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

struct Packet {
  ssize_t size{-1};
  std::array<char, kLargestPacket> bytes;
  int socket{-1};  // the descriptor that came with it
  bool is_cut{false};
};

// More than one descriptor does not fit: the kernel closes the others.
Packet receive(int control) {
  Packet packet;
  alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(int))];
  iovec space{.iov_base = packet.bytes.data(), .iov_len = packet.bytes.size()};
  msghdr message{};
  message.msg_iov = &space;
  message.msg_iovlen = 1;
  message.msg_control = ancillary;
  message.msg_controllen = sizeof ancillary;
  packet.size = ::recvmsg(control, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (packet.size < 0) return packet;
  packet.is_cut = (message.msg_flags & MSG_TRUNC) != 0;
  auto const* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    std::memcpy(&packet.socket, CMSG_DATA(header), sizeof packet.socket);
  }
  return packet;
}

}  // namespace

Zygote::Zygote(Engine& engine, int control_socket, std::string namespaces)
    : engine_{engine}, control_{control_socket}, children_ended_{watch_children()} {
  auto const use = memory_use();
  baseline_bytes_ = use.data_bytes;
  say(ready_message(use.resident_bytes / 1024, namespaces));
}

void Zygote::serve() {
  while (!is_over_) {
    bool const is_listening = unsaid_.size() < kMostUnsaid;
    short const wanted =
        static_cast<short>((is_listening ? POLLIN : 0) | (unsaid_.empty() ? 0 : POLLOUT));
    pollfd watched[] = {{.fd = control_, .events = wanted, .revents = 0},
                        {.fd = children_ended_, .events = POLLIN, .revents = 0}};
    if (::poll(watched, 2, -1) < 0) continue;
    if (watched[1].revents != 0) reap();
    if (!unsaid_.empty()) say_what_is_left();
    if ((watched[0].revents & POLLIN) != 0) {
      take_orders();
    } else if ((watched[0].revents & (POLLHUP | POLLERR)) != 0) {
      is_over_ = true;
    }
  }
  kill_all();
}

void Zygote::take_orders() {
  // Some at a time, so that those who ended are reaped in between.
  for (int i = 0; i < 16 && take_order(); ++i) {
  }
}

// Whether there may be another.
bool Zygote::take_order() {
  auto const packet = receive(control_);
  if (packet.size < 0) {
    is_over_ = errno != EAGAIN && errno != EINTR;
    return false;
  }
  if (packet.size == 0) {
    is_over_ = true;
    return false;
  }
  auto const request =
      packet.is_cut ? Result<ControlRequest>{fail(Errc::InvalidInput, "the packet is too long")}
                    : read_control({packet.bytes.data(), static_cast<std::size_t>(packet.size)});
  if (!request) {
    say(refused_message(request.error().message));
  } else if (auto const* const fork = std::get_if<ForkRequest>(&*request)) {
    carry_out(*fork, packet.socket);
  } else {
    carry_out(std::get<KillRequest>(*request));
  }
  if (packet.socket >= 0) ::close(packet.socket);
  return true;
}

void Zygote::carry_out(ForkRequest const& request, int socket) {
  if (!request.refusal.empty()) return say(failed_message(request.id, request.refusal));
  if (socket < 0) return say(failed_message(request.id, "no descriptor came with it"));
  if (processes_.contains(request.id)) {
    return say(failed_message(request.id, "a child with this id is still there"));
  }
  start_child(request, socket);
}

void Zygote::carry_out(KillRequest const& request) {
  auto const found = processes_.find(request.id);
  if (found != processes_.end()) ::kill(found->second, SIGKILL);
}

void Zygote::start_child(ForkRequest const& request, int socket) {
  auto const child = ::fork();
  if (child == 0) {
    int const own = confine_child(socket, request.limits, baseline_bytes_);
    if (own < 0) end_process(ExitCode::NotConfined);
    serve_runs(engine_, own, request.limits);
  }
  if (child < 0) {
    return say(failed_message(request.id, fmt::format("cannot fork: {}", ::strerror(errno))));
  }
  processes_.emplace(request.id, child);
  runs_.emplace(child, request.id);
}

void Zygote::reap() {
  signalfd_siginfo ignored;
  while (::read(children_ended_, &ignored, sizeof ignored) > 0) {
  }
  int status = 0;
  // One signal may stand for several children.
  while (auto const child = ::waitpid(-1, &status, WNOHANG)) {
    if (child < 0) return;
    auto const found = runs_.find(child);
    if (found == runs_.end()) continue;  // somebody else's orphan
    say(ended_message(found->second, status));
    processes_.erase(found->second);
    runs_.erase(found);
  }
}

void Zygote::say(std::string message) {
  unsaid_.push_back(std::move(message));
  say_what_is_left();
}

void Zygote::say_what_is_left() {
  while (!unsaid_.empty()) {
    auto const& next = unsaid_.front();
    auto const sent = ::send(control_, next.data(), next.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (sent < 0) is_over_ = true;
    unsaid_.pop_front();
  }
}

void Zygote::kill_all() {
  for (auto const& [id, process] : processes_) ::kill(process, SIGKILL);
  while (::waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
  }
}

}  // namespace sallyport::js::sandbox
