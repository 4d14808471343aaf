// A program that runs beside a test: its input stays open until the object goes, its output is read
// by lines. It is ended, and waited for, in the destructor.
#pragma once

#include "src/base/random_id.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace sallyport::test {

class ChildProcess {
 public:
  // `command` starts with the path of the program. Errors of the program go to the test's. The
  // program gets our environment, and before it what stands in `variables` ("NAME=value"), and
  // keeps what it stores in a folder of its own rather than in the user's.
  explicit ChildProcess(std::vector<std::string> command, std::vector<std::string> variables = {}) {
    std::array<int, 2> input{-1, -1};
    std::array<int, 2> output{-1, -1};
    if (pipe2(input.data(), O_CLOEXEC) != 0 || pipe2(output.data(), O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    std::vector<char*> arguments;
    for (auto& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::vector<char*> environment;
    for (auto& variable : variables) environment.push_back(variable.data());
    auto state = "XDG_STATE_HOME=" + state_.string();
    environment.push_back(state.data());
    for (char** each = environ; *each != nullptr; ++each) environment.push_back(*each);
    environment.push_back(nullptr);
    if (posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environment.data()) !=
        0) {
      pid_ = -1;
    }
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    input_ = input[1];
    output_.reset(fdopen(output[0], "r"));
  }
  ~ChildProcess() {
    close_input();
    if (pid_ >= 0) {
      kill(pid_, SIGTERM);
      waitpid(pid_, nullptr, 0);
    }
    std::error_code ignored;
    std::filesystem::remove_all(state_, ignored);
  }
  ChildProcess(ChildProcess const&) = delete;
  ChildProcess& operator=(ChildProcess const&) = delete;

  // The next line without its end; empty when the program has closed its output.
  std::string line() {
    std::string text;
    for (int c = 0; output_ && (c = std::fgetc(output_.get())) != EOF && c != '\n';) {
      text += static_cast<char>(c);
    }
    return text;
  }

  // False when the program does not read any more.
  bool write(std::string_view text) {
    while (!text.empty()) {
      auto const count = ::write(input_, text.data(), text.size());
      if (count <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  void close_input() {
    if (input_ >= 0) close(std::exchange(input_, -1));
  }

  pid_t pid() const noexcept { return pid_; }
  void signal(int number) const { kill(pid_, number); }

  // Waits for the end of the program: its exit code, or the negative number of the signal that
  // ended it.
  int wait() {
    int status = 0;
    if (pid_ < 0 || waitpid(std::exchange(pid_, -1), &status, 0) < 0) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::filesystem::path state_{std::filesystem::temp_directory_path() /
                               ("sallyport-test-" + random_id())};
  pid_t pid_{-1};
  int input_{-1};
  std::unique_ptr<std::FILE, Close> output_;
};

}  // namespace sallyport::test
