#include "src/upstream/wire/child_process.hpp"

#include "src/base/descriptor.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace sallyport::upstream {
namespace {

constexpr std::array<char const*, 12> kInherited{
    "HOME", "LANG",   "LC_ALL", "LOGNAME", "PATH",           "SHELL",
    "TERM", "TMPDIR", "TZ",     "USER",    "XDG_CACHE_HOME", "XDG_CONFIG_HOME"};

struct Ends {
  Descriptor ours;
  Descriptor theirs;
};

std::optional<Ends> make_input() noexcept {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  return Ends{Descriptor{ends[0]}, Descriptor{ends[1]}};
}

std::optional<Ends> make_output() noexcept {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return Ends{Descriptor{ends[0]}, Descriptor{ends[1]}};
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What a child is started with: its streams, a group of its own, signals as if nobody had touched
// them.
class Launch {
 public:
  Launch(int input, int output, int errors, std::string const& cwd) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    // SECURITY: connections that were accepted are not closed by exec.
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    if (!cwd.empty()) posix_spawn_file_actions_addchdir_np(&actions_, cwd.c_str());
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  Launch(Launch const&) = delete;
  Launch& operator=(Launch const&) = delete;
  ~Launch() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  // The error, or 0.
  int start(ChildCommand const& command, pid_t& pid) {
    std::vector<std::string> words{command.command};
    words.insert(words.end(), command.args.begin(), command.args.end());
    auto environment = child_environment(command.env);
    return posix_spawnp(&pid, command.command.c_str(), &actions_, &attributes_,
                        pointers_to(words).data(), pointers_to(environment).data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

Error cannot_start(ChildCommand const& command, int error) {
  return fail(Errc::UpstreamFailed,
              fmt::format("The program {} cannot be started: {}.", command.command,
                          std::strerror(error)));  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace

std::vector<std::string> child_environment(std::map<std::string, std::string> const& added) {
  std::vector<std::string> all;
  for (auto const* const name : kInherited) {
    auto const* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr && !added.contains(name)) all.push_back(fmt::format("{}={}", name, value));
  }
  for (auto const& [name, value] : added) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

Result<ChildProcess> ChildProcess::start(ChildCommand const& command, Executor const& executor) {
  auto input = make_input();
  auto output = make_output();
  auto errors = make_output();
  if (!input || !output || !errors) return cannot_start(command, errno);
  pid_t pid = 0;
  int const error =
      Launch{input->theirs.get(), output->theirs.get(), errors->theirs.get(), command.cwd}.start(
          command, pid);
  if (error != 0) return cannot_start(command, error);
  // Not pidfd_open(): its header has no extern "C" in glibc 2.36.
  Descriptor ending{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  if (!ending) {
    auto failure = cannot_start(command, errno);
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return failure;
  }
  return ChildProcess{pid, Input{executor, asio::local::stream_protocol{}, input->ours.release()},
                      Output{executor, output->ours.release()},
                      Output{executor, errors->ours.release()}, Output{executor, ending.release()}};
}

ChildProcess::ChildProcess(pid_t pid, Input input, Output output, Output errors, Output ending)
    : pid_{pid},
      input_{std::move(input)},
      output_{std::move(output)},
      errors_{std::move(errors)},
      ending_{std::move(ending)} {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_{std::exchange(other.pid_, 0)},
      input_{std::move(other.input_)},
      output_{std::move(other.output_)},
      errors_{std::move(other.errors_)},
      ending_{std::move(other.ending_)} {}

ChildProcess::~ChildProcess() {
  if (pid_ == 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);  // where it has left its group
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Async<bool> ChildProcess::ended_within(std::chrono::milliseconds time) {
  using asio::experimental::awaitable_operators::operator||;
  Timer timer{co_await asio::this_coro::executor, time};
  auto const first =
      co_await (ending_.async_wait(Output::wait_read, use_tuple) || timer.async_wait(use_tuple));
  co_return first.index() == 0;
}

Async<std::string> ChildProcess::end(std::chrono::milliseconds patience) {
  if (pid_ == 0) co_return std::string{"had ended"};
  boost::system::error_code ignored;
  input_.close(ignored);  // NOLINT(bugprone-unused-return-value)
  if (!co_await ended_within(patience)) {
    ::kill(-pid_, SIGTERM);
    if (!co_await ended_within(patience)) ::kill(-pid_, SIGKILL);
    co_await ended_within(std::chrono::seconds{10});
  }
  co_return reap();
}

std::string ChildProcess::reap() {
  int status = 0;
  auto const pid = std::exchange(pid_, 0);
  // What it has started itself ends with it.
  ::kill(-pid, SIGKILL);
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return fmt::format("was ended by signal {}", WTERMSIG(status));
  return fmt::format("ended with code {}", WEXITSTATUS(status));
}

}  // namespace sallyport::upstream
