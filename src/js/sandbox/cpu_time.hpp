// The CPU time of a run, and its end.
//
// When it is used up the engine is told to stop, which it does within microseconds in nearly all
// code, and a session survives that. Where it does not (in the garbage collector, in arithmetic
// with huge numbers, or waiting for a lock) the process is ended a little later. RLIMIT_CPU and the
// gateway's own deadline stand behind this: a script that has taken over the process can switch the
// timer off.
#pragma once

#include <cstdint>

namespace v8 {
class Isolate;
}

namespace sallyport::js::sandbox {

// Of this process, in microseconds.
std::uint64_t cpu_time_us() noexcept;

// Once, before the first timer is started; children inherit it.
void handle_cpu_timer(v8::Isolate* isolate) noexcept;

class CpuTimer {
 public:
  // 0: no limit.
  explicit CpuTimer(std::uint32_t milliseconds) noexcept;
  ~CpuTimer() { stop(); }
  CpuTimer(CpuTimer const&) = delete;
  CpuTimer& operator=(CpuTimer const&) = delete;

  void stop() noexcept;
  bool is_used_up() const noexcept;
  std::uint64_t used_us() const noexcept { return cpu_time_us() - started_; }

 private:
  std::uint64_t started_;
};

}  // namespace sallyport::js::sandbox
