#include "src/upstream/wire/child_process.hpp"

#include "src/base/child_launch.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
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

// The error, or 0. `streams`: what the child reads, writes and complains to.
int launch(ChildCommand const& command, std::array<int, 3> streams, pid_t& pid) {
  ChildLaunch child;
  for (int i = 0; i < 3; ++i) child.give(streams[static_cast<std::size_t>(i)], i);
  if (!command.cwd.empty()) child.in(command.cwd);
  std::vector<std::string> words{command.command};
  words.insert(words.end(), command.args.begin(), command.args.end());
  return child.start(std::move(words), child_environment(command.env), pid);
}

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
  auto input = make_socket_pair(SOCK_STREAM);
  auto output = make_pipe_from_child();
  auto errors = make_pipe_from_child();
  if (!input || !output || !errors) return cannot_start(command, errno);
  pid_t pid = 0;
  int const error =
      launch(command, {input->theirs.get(), output->theirs.get(), errors->theirs.get()}, pid);
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
