#include "src/js/sandbox/system_call_filter.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <functional>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sallyport::js::sandbox {
namespace {

// Does it behind the filter, in a process of its own: the signal that ended it, or 0.
int signal_after(std::function<void()> const& attempt) {
  auto const child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!install_system_call_filter()) ::_exit(1);
    attempt();
    ::syscall(SYS_exit_group, 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return WTERMSIG(status);
  return WEXITSTATUS(status) == 0 ? 0 : -1;
}

TEST(SystemCallFilter, LetsTheEngineWork) {
  EXPECT_EQ(signal_after([] {
              auto* const memory =
                  ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              ::mprotect(memory, 4096, PROT_READ | PROT_EXEC);
              ::syscall(SYS_madvise, memory, 4096, MADV_DONTNEED);
              ::munmap(memory, 4096);
              itimerval const timer{};
              ::setitimer(ITIMER_PROF, &timer, nullptr);
              ::syscall(SYS_tgkill, ::syscall(SYS_getpid), ::syscall(SYS_gettid), 0);
            }),
            0);
}

TEST(SystemCallFilter, EndsWhoOpensStartsOrReachesAnything) {
  struct Attempt {
    char const* name;
    std::function<void()> make;
  };
  Attempt const attempts[] = {
      {"open", [] { ::syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY); }},
      {"socket", [] { ::syscall(SYS_socket, AF_INET, SOCK_STREAM, 0); }},
      {"connect", [] { ::syscall(SYS_connect, 0, nullptr, 0); }},
      {"clone", [] { ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }},
      {"execve", [] { ::syscall(SYS_execve, "/bin/true", nullptr, nullptr); }},
      {"ptrace", [] { ::syscall(SYS_ptrace, 0, 0, 0, 0); }},
      {"kill", [] { ::syscall(SYS_kill, 1, 0); }},
      {"kill another", [] { ::syscall(SYS_tgkill, 1, 1, 0); }},
      {"sendmsg", [] { ::syscall(SYS_sendmsg, 0, nullptr, 0); }},
      {"recvmsg", [] { ::syscall(SYS_recvmsg, 0, nullptr, 0); }},
      {"another kind of timer", [] { ::syscall(SYS_timer_create, 0, nullptr, nullptr); }},
      {"prctl", [] { ::syscall(SYS_prctl, PR_SET_NAME, "x", 0, 0, 0); }},
      {"setrlimit", [] { ::syscall(SYS_prlimit64, 0, 0, nullptr, nullptr); }},
      {"sigaction", [] { ::syscall(SYS_rt_sigaction, SIGPROF, nullptr, nullptr, 8); }},
      {"unshare", [] { ::syscall(SYS_unshare, 0); }},
      {"bpf", [] { ::syscall(SYS_bpf, 0, nullptr, 0); }},
      {"io_uring", [] { ::syscall(SYS_io_uring_setup, 1, nullptr); }},
      {"userfaultfd", [] { ::syscall(SYS_userfaultfd, 0); }},
      {"memfd", [] { ::syscall(SYS_memfd_create, "x", 0); }},
      {"x32 getpid", [] { ::syscall(0x40000000 + SYS_getpid); }},
      {"an unknown one", [] { ::syscall(100'000); }},
  };
  for (auto const& attempt : attempts)
    EXPECT_EQ(signal_after(attempt.make), SIGSYS) << attempt.name;
}

}  // namespace
}  // namespace sallyport::js::sandbox
