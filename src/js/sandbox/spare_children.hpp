// Children that are forked before they are needed. Each has run a script of ours already, so that
// the memory it writes to is its own and its caches are filled; then it waits for its one order. A
// run that gets one of them starts in a fraction of the time.
#pragma once

#include "src/js/sandbox/engine.hpp"
#include "src/js/sandbox/limits.hpp"

#include <cstddef>
#include <deque>
#include <sys/types.h>

namespace sallyport::js::sandbox {

// The rest of the life of a child: gives up everything but `socket`, and serves it.
[[noreturn]] void become_child(Engine& engine, int socket, Limits const& limits,
                               std::size_t baseline_bytes);

class SpareChildren {
 public:
  // `engine` must outlive it.
  SpareChildren(Engine& engine, std::size_t baseline_bytes) noexcept
      : engine_{engine}, baseline_bytes_{baseline_bytes} {}

  bool has_room() const noexcept;
  void add();

  // A spare child now serves `socket`, which the caller still has to close: its process. 0: there
  // is none, or it has ended.
  pid_t take(int socket, Limits const& limits);

  // A child has been reaped that no run had.
  void forget(pid_t process);

  void kill_all() noexcept;

 private:
  struct Spare {
    pid_t process{0};
    int orders{-1};
  };

  [[noreturn]] void wait_for_order(int orders);

  Engine& engine_;
  std::size_t baseline_bytes_;
  std::deque<Spare> spares_;
  int lost_{0};
};

}  // namespace sallyport::js::sandbox
