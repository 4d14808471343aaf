#include "src/js/sandbox/zygote.hpp"

#include "src/js/sandbox/descriptors.hpp"
#include "src/js/sandbox/memory_use.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace sallyport::js::sandbox {
namespace {

// With so much unsaid no new orders are taken: the gateway has to read first.
constexpr std::size_t kMostUnsaid = 10'000;

int watch_children() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  return ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

}  // namespace

Zygote::Zygote(Engine& engine, int control_socket, std::string namespaces)
    : engine_{engine},
      control_{control_socket},
      children_ended_{watch_children()},
      baseline_bytes_{memory_use().data_bytes},
      spares_{engine, baseline_bytes_},
      processors_{std::thread::hardware_concurrency()} {
  auto const use = memory_use();
  say(ready_message(use.resident_bytes / 1024, namespaces));
}

void Zygote::serve() {
  while (!is_over_) {
    bool const is_listening = unsaid_.size() < kMostUnsaid;
    short const wanted =
        static_cast<short>((is_listening ? POLLIN : 0) | (unsaid_.empty() ? 0 : POLLOUT));
    pollfd watched[] = {{.fd = control_, .events = wanted, .revents = 0},
                        {.fd = children_ended_, .events = POLLIN, .revents = 0}};
    int const events = ::poll(watched, 2, time_for_spares());
    if (events == 0) spares_.add();
    if (events <= 0) continue;
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

// Spare children are made when there is nothing else to do: at once where a processor is free, else
// when no order has come for a while. Where all are busy they would only take time from the runs.
int Zygote::time_for_spares() const {
  constexpr int kQuietMilliseconds = 5;
  if (!spares_.has_room()) return -1;
  return runs_.size() < processors_ ? 0 : kQuietMilliseconds;
}

void Zygote::take_orders() {
  // Some at a time, so that those who ended are reaped in between.
  for (int i = 0; i < 16 && take_order(); ++i) {
  }
}

// Whether there may be another.
bool Zygote::take_order() {
  auto const packet = receive_packet(control_, ReceivePacket::AtOnce);
  if (packet.size < 0) {
    is_over_ = errno != EAGAIN;
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
    carry_out(*fork, packet.descriptor);
  } else {
    carry_out(std::get<KillRequest>(*request));
  }
  if (packet.descriptor >= 0) ::close(packet.descriptor);
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
  auto child = spares_.take(socket, request.limits);
  if (child == 0) child = ::fork();
  if (child == 0) become_child(engine_, socket, request.limits, baseline_bytes_);
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
    if (found == runs_.end()) {
      spares_.forget(child);
      continue;
    }
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
  spares_.kill_all();
  while (::waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
  }
}

}  // namespace sallyport::js::sandbox
