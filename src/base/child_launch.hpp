// Starts a program with exactly the descriptors that it is given, in a process group of its own,
// with signals as if nobody had touched them.
#pragma once

#include "src/base/descriptor.hpp"

#include <optional>
#include <spawn.h>
#include <string>
#include <sys/types.h>
#include <vector>

namespace sallyport {

// Both ends are closed by exec.
struct DescriptorPair {
  Descriptor ours;
  Descriptor theirs;
};
// Nothing where the system has none left; errno then says why.
std::optional<DescriptorPair> make_socket_pair(int type) noexcept;  // SOCK_STREAM, SOCK_SEQPACKET
std::optional<DescriptorPair> make_pipe_from_child() noexcept;

class ChildLaunch {
 public:
  ChildLaunch();
  ~ChildLaunch();
  ChildLaunch(ChildLaunch const&) = delete;
  ChildLaunch& operator=(ChildLaunch const&) = delete;

  // The child finds `ours` as `theirs`; what nobody gave it is closed from the highest one on.
  ChildLaunch& give(int ours, int theirs);
  ChildLaunch& give_nothing(int theirs);  // /dev/null, to be written to
  ChildLaunch& in(std::string const& folder);

  // Once. A name without a slash is looked up in PATH. 0, or the error.
  int start(std::vector<std::string> words, std::vector<std::string> environment, pid_t& pid);

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  int highest_;
};

}  // namespace sallyport
