#include "src/base/child_launch.hpp"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sallyport {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::optional<DescriptorPair> make_socket_pair(int type) noexcept {
  int ends[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  return DescriptorPair{Descriptor{ends[0]}, Descriptor{ends[1]}};
}

std::optional<DescriptorPair> make_pipe_from_child() noexcept {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return DescriptorPair{Descriptor{ends[0]}, Descriptor{ends[1]}};
}

ChildLaunch::ChildLaunch() : highest_{STDERR_FILENO} {
  posix_spawn_file_actions_init(&actions_);
  posix_spawnattr_init(&attributes_);
  sigset_t signals;
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes_, &signals);
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes_, &signals);
  // Ctrl+C is for us: we end a child when we are done.
  posix_spawnattr_setpgroup(&attributes_, 0);
  posix_spawnattr_setflags(&attributes_,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

ChildLaunch::~ChildLaunch() {
  posix_spawn_file_actions_destroy(&actions_);
  posix_spawnattr_destroy(&attributes_);
}

ChildLaunch& ChildLaunch::give(int ours, int theirs) {
  posix_spawn_file_actions_adddup2(&actions_, ours, theirs);
  highest_ = std::max(highest_, theirs);
  return *this;
}

ChildLaunch& ChildLaunch::give_nothing(int theirs) {
  posix_spawn_file_actions_addopen(&actions_, theirs, "/dev/null", O_WRONLY, 0);
  highest_ = std::max(highest_, theirs);
  return *this;
}

ChildLaunch& ChildLaunch::in(std::string const& folder) {
  posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  return *this;
}

int ChildLaunch::start(std::vector<std::string> words, std::vector<std::string> environment,
                       pid_t& pid) {
  // SECURITY: connections that were accepted are not closed by exec.
  posix_spawn_file_actions_addclosefrom_np(&actions_, highest_ + 1);
  return posix_spawnp(&pid, words.front().c_str(), &actions_, &attributes_,
                      pointers_to(words).data(), pointers_to(environment).data());
}

}  // namespace sallyport
