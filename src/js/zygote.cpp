#include "src/js/zygote.hpp"

#include "src/base/child_launch.hpp"
#include "src/base/log.hpp"
#include "src/json/parse.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <utility>

namespace sallyport::js {
namespace {

using namespace std::chrono_literals;

constexpr int kControl = 3;  // the descriptor that the program finds its control socket at
constexpr auto kFirstPause = 100ms;
constexpr auto kLongestPause = 10s;
constexpr std::size_t kLargestPacket = 4096;
// Buffers, compiled code and WebAssembly have room of their own, as much as the heap and this.
constexpr std::size_t kBesidesTheHeapMb = 64;

Result<DescriptorPair> make_pair(int type) {
  auto pair = make_socket_pair(type);
  if (pair) return std::move(*pair);
  return fail(Errc::LimitExceeded, "The server cannot run another script at the moment.",
              fmt::format("socketpair: {}", std::strerror(errno)));
}

// 0 when it could not be started; errno then tells why.
pid_t spawn(std::string const& program, int control) {
  pid_t pid = 0;
  errno = ChildLaunch{}.give(control, kControl).start({program}, {}, pid);
  return errno == 0 ? pid : 0;
}

std::uint64_t id_in(json::Object const& packet, std::string_view member) {
  auto const* value = json::find(packet, member);
  return value != nullptr && value->is_int64() ? static_cast<std::uint64_t>(value->as_int64()) : 0;
}

}  // namespace

Child::Child(Zygote& zygote, std::uint64_t id, Descriptor connection, std::shared_ptr<ChildEnd> end)
    : socket{std::move(connection)}, zygote_{zygote}, id_{id}, end_{std::move(end)} {}

Child::~Child() {
  kill();
}

void Child::kill() {
  zygote_.kill(id_);
}

Zygote::Zygote(std::string program)
    : program_{std::move(program)}, stop_event_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {}

void Zygote::start() {
  std::call_once(started_, [this] { thread_ = std::thread{[this] { serve(); }}; });
}

Zygote::~Zygote() {
  {
    std::lock_guard const lock{mutex_};
    stops_ = true;
  }
  eventfd_write(stop_event_.get(), 1);
  if (thread_.joinable()) thread_.join();
}

Result<void> Zygote::ready() const {
  std::lock_guard const lock{mutex_};
  if (why_not_.empty()) return {};
  return fail(Errc::NotFound, "The JavaScript sandbox is not available: " + why_not_ + ".");
}

Result<std::unique_ptr<Child>> Zygote::fork(ChildLimits const& limits) {
  SP_CHECK(ready());
  SP_TRY(auto ends, make_pair(SOCK_STREAM));
  auto const id = next_id_++;
  auto end = std::make_shared<ChildEnd>();
  {
    std::lock_guard const lock{mutex_};
    children_.emplace(id, end);
  }
  using std::chrono::ceil, std::chrono::seconds;
  auto child = std::make_unique<Child>(*this, id, std::move(ends.ours), std::move(end));
  json::Object const packet{{"fork", id},
                            {"limits",
                             {{"heap_mb", limits.heap_mb},
                              {"data_mb", limits.heap_mb * 2 + kBesidesTheHeapMb},
                              {"cpu_ms", limits.cpu.count()},
                              {"total_cpu_s", ceil<seconds>(limits.total_cpu).count()}}}};
  SP_CHECK(ask(json::to_text(packet), ends.theirs.get()));
  return child;
}

void Zygote::kill(std::uint64_t id) {
  {
    std::lock_guard const lock{mutex_};
    if (!children_.contains(id)) return;
  }
  static_cast<void>(ask(json::to_text(json::Object{{"kill", id}}), -1));
}

Result<void> Zygote::ask(std::string const& packet, int descriptor) {
  iovec part{.iov_base = const_cast<char*>(packet.data()), .iov_len = packet.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  if (descriptor >= 0) {
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    auto* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  }
  std::lock_guard const lock{mutex_};
  if (::sendmsg(control_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return {};
  return fail(Errc::LimitExceeded, "The JavaScript sandbox is busy. Try again in a moment.",
              fmt::format("sendmsg: {}", std::strerror(errno)));
}

void Zygote::serve() {
  auto pause_for = std::chrono::milliseconds{kFirstPause};
  while (true) {
    auto const begun = std::chrono::steady_clock::now();
    if (spawn_program()) {
      listen();
      lose_children();
      reap();
    }
    first_attempt_->set();
    // What has run for a while was no bad start.
    if (std::chrono::steady_clock::now() - begun > kLongestPause) pause_for = kFirstPause;
    pollfd stop{.fd = stop_event_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&stop, 1, static_cast<int>(pause_for.count())) > 0) return;
    pause_for = std::min(pause_for * 2, std::chrono::milliseconds{kLongestPause});
  }
}

bool Zygote::spawn_program() {
  auto ends = make_pair(SOCK_SEQPACKET);
  if (!ends) return false;
  pid_ = spawn(program_, ends->theirs.get());
  int const error = errno;
  std::lock_guard const lock{mutex_};
  if (pid_ == 0) {
    why_not_ = fmt::format("{} cannot be started ({})", program_, std::strerror(error));
    log::error("JAVASCRIPT SANDBOX CANNOT BE STARTED", {{"reason", why_not_}});
    return false;
  }
  control_ = std::move(ends->ours);
  return true;
}

void Zygote::listen() {
  std::array<char, kLargestPacket> packet{};
  std::array<pollfd, 2> watched{pollfd{.fd = control_.get(), .events = POLLIN, .revents = 0},
                                pollfd{.fd = stop_event_.get(), .events = POLLIN, .revents = 0}};
  while (true) {
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
    if (watched[1].revents != 0) return;
    if (watched[0].revents == 0) continue;
    auto const size = ::recv(control_.get(), packet.data(), packet.size(), MSG_DONTWAIT);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) return;
    if (size > 0) note({packet.data(), static_cast<std::size_t>(size)});
  }
}

void Zygote::note(std::string_view text) {
  auto const packet = json::parse(text);
  auto const* const object = packet ? packet->if_object() : nullptr;
  if (object == nullptr) return;
  if (json::find(*object, "ready") != nullptr) {
    {
      std::lock_guard const lock{mutex_};
      why_not_.clear();
    }
    log::info("javascript sandbox ready");
    return first_attempt_->set();
  }
  if (auto const id = id_in(*object, "ended")) {
    return note_end(id, static_cast<int>(id_in(*object, "signal")), {});
  }
  if (auto const id = id_in(*object, "failed")) {
    auto const* const reason = json::find_string(*object, "error");
    note_end(id, 0, reason == nullptr ? "it could not fork" : std::string{json::view(*reason)});
  }
}

void Zygote::note_end(std::uint64_t id, int signal, std::string failure) {
  std::shared_ptr<ChildEnd> end;
  {
    std::lock_guard const lock{mutex_};
    auto const found = children_.extract(id);
    if (found.empty()) return;
    end = std::move(found.mapped());
  }
  end->signal = signal;
  end->lost = !failure.empty();
  end->reason = std::move(failure);
  end->happened->set();
}

void Zygote::lose_children() {
  std::map<std::uint64_t, std::shared_ptr<ChildEnd>> lost;
  {
    std::lock_guard const lock{mutex_};
    lost = std::exchange(children_, {});
    control_ = Descriptor{};  // the program ends when this does, and its children with it
    why_not_ = "it ended and is being started again";
    if (!stops_) log::error("JAVASCRIPT SANDBOX ENDED", {{"scripts", std::uint64_t{lost.size()}}});
  }
  for (auto& [id, end] : lost) {
    end->lost = true;
    end->reason = "the sandbox ended";
    end->happened->set();
  }
}

// Nothing of it is needed any more. Its children die with it, by themselves.
void Zygote::reap() {
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace sallyport::js
