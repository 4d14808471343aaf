#include "src/js/sandbox/spare_children.hpp"

#include "src/js/sandbox/confine.hpp"
#include "src/js/sandbox/descriptors.hpp"
#include "src/js/sandbox/serve_runs.hpp"

#include <algorithm>
#include <csignal>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sallyport::js::sandbox {
namespace {

constexpr std::size_t kSpares = 4;
// Of those that ended before they were needed. There is then something wrong with the machine, and
// forking more of them would not help.
constexpr int kMostLost = 20;

}  // namespace

void become_child(Engine& engine, int socket, Limits const& limits, std::size_t baseline_bytes) {
  int const own = confine_child(socket, limits, baseline_bytes);
  if (own < 0) end_process(ExitCode::NotConfined);
  serve_runs(engine, own, limits);
}

bool SpareChildren::has_room() const noexcept {
  return spares_.size() < kSpares && lost_ < kMostLost;
}

void SpareChildren::add() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    ++lost_;
    return;
  }
  auto const child = ::fork();
  if (child == 0) wait_for_order(ends[1]);
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    ++lost_;
    return;
  }
  spares_.push_back({.process = child, .orders = ends[0]});
}

pid_t SpareChildren::take(int socket, Limits const& limits) {
  while (!spares_.empty()) {
    auto const spare = spares_.front();
    spares_.pop_front();
    bool const is_sent =
        send_packet(spare.orders, {reinterpret_cast<char const*>(&limits), sizeof limits}, socket);
    ::close(spare.orders);
    if (is_sent) return spare.process;
  }
  return 0;
}

void SpareChildren::forget(pid_t process) {
  auto const found = std::find_if(spares_.begin(), spares_.end(),
                                  [&](auto const& spare) { return spare.process == process; });
  if (found == spares_.end()) return;
  ::close(found->orders);
  spares_.erase(found);
  ++lost_;
}

void SpareChildren::kill_all() noexcept {
  for (auto const& spare : spares_) ::kill(spare.process, SIGKILL);
}

// In the child.
void SpareChildren::wait_for_order(int orders) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The control socket and the other spares' are not for it.
  int const own = keep_only(orders);
  if (own < 0) end_process(ExitCode::NotConfined);
  touch_memory(engine_);
  auto const packet = receive_packet(own, ReceivePacket::Wait);
  Limits limits;
  if (packet.size != sizeof limits || packet.descriptor < 0) end_process(ExitCode::GatewayGone);
  std::copy_n(packet.bytes.data(), sizeof limits, reinterpret_cast<char*>(&limits));
  become_child(engine_, packet.descriptor, limits, baseline_bytes_);
}

}  // namespace sallyport::js::sandbox
