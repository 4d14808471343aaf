// What one child may use, and what is said when it has used it up.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sallyport::js::sandbox {

struct Limits {
  std::size_t heap_mb{128};  // objects of the script
  std::size_t data_mb{256};  // memory of every kind: the heap, buffers, WebAssembly, compiled code
  std::uint32_t cpu_ms{10'000};     // of one run
  std::uint32_t total_cpu_s{3600};  // of the child: of all runs of a session
};

inline constexpr std::size_t kMegabyte = 1024UL * 1024;
inline constexpr std::size_t kLargestHeapMb = 4096;

// How a child ends that has not been killed.
enum class ExitCode : int {
  Done = 0,
  GatewayGone = 10,
  BrokenFrame = 11,  // the gateway does not keep to src/js/frame.hpp
  NotConfined = 12,  // a limit or the filter could not be set: nothing has been run
  OutOfMemory = 13,
  OutOfTime = 14,  // and the engine did not stop when it was told to
};

[[noreturn]] void end_process(ExitCode code) noexcept;

}  // namespace sallyport::js::sandbox
