#include "src/content/no_network.hpp"

#include "src/base/log.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace sallyport::content {
namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
constexpr unsigned kForeignCalls = 0x40000000U;  // x32: the same calls under other numbers
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
constexpr unsigned kForeignCalls = 0xffffffffU;  // none
#else
constexpr unsigned kArchitecture = 0;
constexpr unsigned kForeignCalls = 0;
#endif

constexpr sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset));
}

constexpr sock_filter skip_if(unsigned short test, unsigned value, unsigned char then,
                              unsigned char otherwise) {
  return BPF_JUMP(static_cast<unsigned short>(BPF_JMP | test | BPF_K), value, then, otherwise);
}

constexpr sock_filter give(unsigned verdict) {
  return BPF_STMT(BPF_RET | BPF_K, verdict);
}

// SECURITY: a socket must be made before it can be used, and io_uring makes them without the call.
bool refuse_sockets() noexcept {
  if (kArchitecture == 0) return false;
  std::array filter{
      load(offsetof(seccomp_data, arch)),
      skip_if(BPF_JEQ, kArchitecture, 1, 0),
      give(SECCOMP_RET_KILL_PROCESS),
      load(offsetof(seccomp_data, nr)),
      skip_if(BPF_JGE, kForeignCalls, 3, 0),
      skip_if(BPF_JEQ, SYS_socket, 2, 0),
      skip_if(BPF_JEQ, SYS_io_uring_setup, 1, 0),
      give(SECCOMP_RET_ALLOW),
      give(SECCOMP_RET_ERRNO | EACCES),
  };
  sock_fprog const program{.len = filter.size(), .filter = filter.data()};
  // Else a program with more rights than ours could be started under a filter it does not expect.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

void warn_once(std::string_view what) {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true)) return;
  log::warn("PDF files are read by a process that could reach the network", {{"because", what}});
}

}  // namespace

void without_network(std::function<void(bool filtered)> const& work) {
  try {
    std::thread{[&] {
      bool const filtered = refuse_sockets();
      if (!filtered) warn_once("the kernel refuses a filter of system calls (seccomp)");
      work(filtered);
    }}.join();
  } catch (std::system_error const&) {
    warn_once("no thread could be started");
    work(false);
  }
}

}  // namespace sallyport::content
