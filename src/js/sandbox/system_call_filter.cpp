#include "src/js/sandbox/system_call_filter.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sallyport::js::sandbox {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "The filter does not know this architecture."
#endif

// The memory of the engine, its one socket, clocks, random numbers, and ways to end. Nothing that
// opens, makes or names anything. Those called most come first.
constexpr auto kAllowed = std::to_array<std::uint32_t>({
    SYS_madvise,      SYS_mprotect,        SYS_munmap,        SYS_mmap,
    SYS_recvfrom,     SYS_sendto,          SYS_clock_gettime, SYS_futex,
    SYS_brk,          SYS_mremap,          SYS_exit_group,    SYS_exit,
    SYS_rt_sigreturn, SYS_ppoll,           SYS_getrandom,     SYS_gettimeofday,
    SYS_getpid,       SYS_gettid,          SYS_sched_yield,   SYS_rt_sigprocmask,
    SYS_write,        SYS_restart_syscall, SYS_setitimer,
#ifdef SYS_poll
    SYS_poll,
#endif
});

constexpr sock_filter statement(std::uint16_t code, std::uint32_t value) {
  return {.code = code, .jt = 0, .jf = 0, .k = value};
}
// Goes on behind the next `skip` lines where the accumulator is not `value`.
constexpr sock_filter unless_equal(std::uint32_t value, std::uint8_t skip) {
  return {.code = BPF_JMP | BPF_JEQ | BPF_K, .jt = 0, .jf = skip, .k = value};
}
constexpr sock_filter load(std::size_t offset) {
  return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
// The lower half of an argument: processes, signals and timers have small numbers.
constexpr sock_filter load_argument(std::size_t index) {
  return load(offsetof(seccomp_data, args) + 8 * index);
}

constexpr auto kAllow = statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
constexpr auto kKill = statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);

constexpr std::size_t kFixedLines = 4 + 4 + 1;
using Filter = std::array<sock_filter, kFixedLines + 2 * kAllowed.size()>;

Filter filter_of(std::uint32_t process) {
  Filter lines{};
  std::size_t count = 0;
  auto const add = [&](sock_filter line) { lines[count++] = line; };
  add(load(offsetof(seccomp_data, arch)));
  add({.code = BPF_JMP | BPF_JEQ | BPF_K, .jt = 1, .jf = 0, .k = kArchitecture});
  add(kKill);
  add(load(offsetof(seccomp_data, nr)));  // a call of the x32 ABI has a number of its own
  for (auto const number : kAllowed) {
    add(unless_equal(number, 1));
    add(kAllow);
  }
  // abort() and raise(): a signal for itself, never for the children of others.
  add(unless_equal(SYS_tgkill, 3));
  add(load_argument(0));
  add(unless_equal(process, 1));
  add(kAllow);
  add(kKill);
  return lines;
}

}  // namespace

bool install_system_call_filter() noexcept {
  auto lines = filter_of(static_cast<std::uint32_t>(::getpid()));
  sock_fprog const program{.len = static_cast<unsigned short>(lines.size()),
                           .filter = lines.data()};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace sallyport::js::sandbox
