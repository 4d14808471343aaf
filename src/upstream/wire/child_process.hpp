// An MCP server as a child process: its standard streams, and an end that leaves nothing behind.
#pragma once

#include "src/base/task.hpp"

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace sallyport::upstream {

struct ChildCommand {
  std::string command;  // a path, or a name that is looked up in PATH
  std::vector<std::string> args;
  std::map<std::string, std::string> env;  // besides what every program needs
  std::string cwd;                         // empty: ours
};

// SECURITY: of our own environment, a child sees these alone: secrets of ours may stand in the
// others.
std::vector<std::string> child_environment(std::map<std::string, std::string> const& added);

// Of one loop.
class ChildProcess {
 public:
  // A socket pair instead of a pipe: writing to a dead child must not raise SIGPIPE.
  using Input = asio::basic_stream_socket<asio::local::stream_protocol, Executor>;
  using Output = asio::posix::basic_stream_descriptor<Executor>;

  // Fails with UpstreamFailed: what could not be started, and why.
  static Result<ChildProcess> start(ChildCommand const& command, Executor const& executor);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  // Kills it, with all that it has started, unless end() has ended it.
  ~ChildProcess();

  Input& input() noexcept { return input_; }
  Output& output() noexcept { return output_; }
  Output& errors() noexcept { return errors_; }
  pid_t pid() const noexcept { return pid_; }

  // Closes its input and gives it time; then asks it to end; then ends it. How it ended, in words.
  Async<std::string> end(std::chrono::milliseconds patience);

 private:
  ChildProcess(pid_t pid, Input input, Output output, Output errors, Output ending);

  Async<bool> ended_within(std::chrono::milliseconds time);
  std::string reap();

  pid_t pid_;  // 0: it has ended
  Input input_;
  Output output_;
  Output errors_;
  Output ending_;  // a pidfd
};

}  // namespace sallyport::upstream
