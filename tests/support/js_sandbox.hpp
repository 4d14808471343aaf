// The sandbox of scripts, spoken to as the gateway does: its control socket, and a socket per run.
#pragma once

#include "src/js/frame.hpp"
#include "src/json/parse.hpp"
#include "src/json/value.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace sallyport::test {

// Long enough for a busy machine; a test that gets there has failed.
inline constexpr std::chrono::seconds kPatience{30};

class OwnedFd {
 public:
  explicit OwnedFd(int fd = -1) noexcept : fd_{fd} {}
  OwnedFd(OwnedFd&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OwnedFd() { close(); }

  int get() const noexcept { return fd_; }
  void close() noexcept {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

inline std::pair<OwnedFd, OwnedFd> socket_pair(int type) {
  int ends[2] = {-1, -1};
  ::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends);
  return {OwnedFd{ends[0]}, OwnedFd{ends[1]}};
}

inline bool wait_for(int fd, short events, std::chrono::milliseconds patience = kPatience) {
  pollfd wanted{.fd = fd, .events = events, .revents = 0};
  return ::poll(&wanted, 1, static_cast<int>(patience.count())) == 1;
}

struct SandboxLimits {
  int heap_mb{64};
  int data_mb{256};
  int cpu_ms{30'000};
  int total_cpu_s{600};
};

struct ScriptRequest {
  std::string code;
  std::string name{"test.js"};
  bool session{false};
};

// What came of a run.
struct ScriptAnswer {
  std::vector<std::string> console;
  json::Object done;  // empty: the child ended without it
  std::string raw_done;

  bool is_done() const { return !raw_done.empty(); }
  std::string value() const {
    auto const* const found = json::find(done, "value");
    return found == nullptr ? "(none)" : json::to_text(*found);
  }
  std::string error(std::string_view field) const {
    auto const* const error = json::find_object(done, "error");
    auto const* const found = error == nullptr ? nullptr : json::find(*error, field);
    if (found == nullptr) return "(none)";
    return found->is_string() ? std::string{json::view(found->get_string())}
                              : json::to_text(*found);
  }
  std::string message() const { return error("message"); }
  std::string limit() const {
    auto const* const found = json::find_string(done, "limit");
    return found == nullptr ? "" : std::string{json::view(*found)};
  }
};

// The gateway's end of the socket of a run.
class RunPeer {
 public:
  RunPeer(std::int64_t id, OwnedFd socket) : id_{id}, socket_{std::move(socket)} {}

  std::int64_t id() const noexcept { return id_; }
  int fd() const noexcept { return socket_.get(); }
  void close() { socket_.close(); }

  // False when the child has gone.
  bool send(js::FrameKind kind, std::uint32_t call, std::string_view payload) {
    std::string frame;
    js::append_frame(frame, kind, call, payload);
    return send_bytes(frame);
  }
  bool send_bytes(std::string_view rest) {
    while (!rest.empty()) {
      auto const sent = ::send(fd(), rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      rest.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  bool run(ScriptRequest const& request) {
    json::Object object;
    object["code"] = request.code;
    object["name"] = request.name;
    object["session"] = request.session;
    object["apis"] = json::Object{};
    return send(js::FrameKind::Run, 0, json::to_text(object));
  }

  // Nothing when the child has gone, or nothing came for long.
  std::optional<js::Frame> next(std::chrono::milliseconds patience = kPatience) {
    while (true) {
      if (auto frame = reader_.next()) return frame;
      if (!wait_for(fd(), POLLIN, patience)) return std::nullopt;
      char bytes[64 * 1024];
      auto const count = ::recv(fd(), bytes, sizeof bytes, 0);
      if (count <= 0) return std::nullopt;
      reader_.add({bytes, static_cast<std::size_t>(count)});
    }
  }

  // Whether the child ends within a time that is long; what it still sends is passed over.
  bool goes_away() {
    char bytes[64 * 1024];
    while (wait_for(fd(), POLLIN)) {
      if (::recv(fd(), bytes, sizeof bytes, 0) <= 0) return true;
    }
    return false;
  }

  // Until Done or the end of the child. Calls are left unanswered.
  ScriptAnswer answer() {
    ScriptAnswer answer;
    while (auto const frame = next()) {
      if (frame->kind == js::FrameKind::Console) answer.console.push_back(frame->payload);
      if (frame->kind != js::FrameKind::Done) continue;
      answer.raw_done = frame->payload;
      auto const parsed = json::parse(frame->payload);
      if (parsed && parsed->is_object()) answer.done = parsed->get_object();
      break;
    }
    return answer;
  }
  ScriptAnswer run_to_end(std::string code, std::string name = "test.js") {
    run({.code = std::move(code), .name = std::move(name)});
    return answer();
  }
  ScriptAnswer run_in_session(std::string code) {
    run({.code = std::move(code), .session = true});
    return answer();
  }

 private:
  std::int64_t id_;
  OwnedFd socket_;
  js::FrameReader reader_;
};

// The program itself.
class JsSandbox {
 public:
  explicit JsSandbox(std::string program) {
    auto [ours, theirs] = socket_pair(SOCK_SEQPACKET);
    control_ = std::move(ours);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs.get(), 3);
    char* arguments[] = {program.data(), nullptr};
    // SECURITY: a test looks for this in the environment of a child.
    char secret[] = "TEST_SECRET=do-not-inherit";
    char* environment[] = {secret, nullptr};
    if (posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments, environment) != 0) {
      pid_ = -1;
    }
    posix_spawn_file_actions_destroy(&actions);
    theirs.close();
    ready_ = message().value_or(json::Object{});
  }
  ~JsSandbox() {
    control_.close();
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  }
  JsSandbox(JsSandbox const&) = delete;
  JsSandbox& operator=(JsSandbox const&) = delete;

  pid_t pid() const noexcept { return pid_; }
  json::Object const& ready() const noexcept { return ready_; }
  void close_control() { control_.close(); }
  // Its exit code, or the negative number of a signal.
  int wait() {
    int status = 0;
    if (pid_ <= 0 || ::waitpid(std::exchange(pid_, -1), &status, 0) < 0) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  RunPeer fork(SandboxLimits limits = {}) {
    auto [ours, theirs] = socket_pair(SOCK_STREAM);
    auto const id = ++last_id_;
    send(fmt::format(
             R"({{"fork":{},"limits":{{"heap_mb":{},"data_mb":{},"cpu_ms":{},"total_cpu_s":{}}}}})",
             id, limits.heap_mb, limits.data_mb, limits.cpu_ms, limits.total_cpu_s),
         theirs.get());
    return RunPeer{id, std::move(ours)};
  }
  void kill(std::int64_t id) { send(fmt::format(R"({{"kill":{}}})", id)); }

  // One packet, with a descriptor or without.
  bool send(std::string_view packet, int fd = -1) {
    iovec data{.iov_base = const_cast<char*>(packet.data()), .iov_len = packet.size()};
    alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(int))]{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    if (fd >= 0) {
      message.msg_control = ancillary;
      message.msg_controllen = sizeof ancillary;
      auto* const header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
    }
    return ::sendmsg(control_.get(), &message, MSG_NOSIGNAL) >= 0;
  }

  // The next message of the control socket; nothing when it has closed, or none came for long.
  std::optional<json::Object> message(std::chrono::milliseconds patience = kPatience) {
    if (!wait_for(control_.get(), POLLIN, patience)) return std::nullopt;
    char bytes[4096];
    auto const count = ::recv(control_.get(), bytes, sizeof bytes, 0);
    if (count <= 0) return std::nullopt;
    auto const parsed = json::parse({bytes, static_cast<std::size_t>(count)});
    if (!parsed || !parsed->is_object()) return std::nullopt;
    return parsed->get_object();
  }
  // The same as text, for comparing.
  std::string message_text() {
    auto const object = message();
    return object ? json::to_text(*object) : "(none)";
  }

 private:
  pid_t pid_{-1};
  OwnedFd control_;
  json::Object ready_;
  std::int64_t last_id_{0};
};

}  // namespace sallyport::test
