#include "src/js/sandbox/confine.hpp"

#include "src/js/sandbox/descriptors.hpp"
#include "src/js/sandbox/system_call_filter.hpp"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sallyport::js::sandbox {
namespace {

bool limit(__rlimit_resource resource, rlim_t value) noexcept {
  rlimit const both{.rlim_cur = value, .rlim_max = value};
  return ::setrlimit(resource, &both) == 0;
}

// The strings too, which clearenv() alone leaves on the stack: the gateway's environment may hold
// secrets.
void forget_environment() noexcept {
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    ::explicit_bzero(*each, std::strlen(*each));
  }
  ::clearenv();
}

void drop_capabilities() noexcept {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct const none[2]{};
  ::syscall(SYS_capset, &header, none);
}

// The first process of a namespace of processes may not end before the others: it is the one that
// forks. Who called waits for it, so that its own parent sees one process.
void become_first_process() {
  auto const parent = ::getpid();
  auto const child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    return;
  }
  if (child < 0) end_process(ExitCode::NotConfined);
  ::syscall(SYS_close_range, 0U, ~0U, 0U);  // the control socket must close with the child
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && parent == ::getpid()) {
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

bool set_limits(Limits const& limits, std::size_t baseline_bytes) noexcept {
  return limit(RLIMIT_DATA, baseline_bytes + limits.data_mb * kMegabyte) &&
         limit(RLIMIT_CPU, limits.total_cpu_s) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NOFILE, 1);
}

void accept_signals() noexcept {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

void give_up_privileges() noexcept {
  forget_environment();
  // Scripts see the same everywhere: neither where the server stands nor what its user speaks.
  ::setenv("TZ", "UTC", 1);
  ::setenv("LC_ALL", "en_US", 1);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_MEMLOCK, 0);
  std::signal(SIGPIPE, SIG_IGN);
  // Ctrl-C in a terminal reaches every process there. The gateway ends in order, and we with it.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
}

std::string enter_namespaces() {
  constexpr int kOthers = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWPID;
  if (::unshare(CLONE_NEWUSER | kOthers) == 0) {
    become_first_process();
    drop_capabilities();
    return "user, net, ipc, uts, pid";
  }
  if (::unshare(kOthers) == 0) {
    become_first_process();
    drop_capabilities();
    return "net, ipc, uts, pid";
  }
  drop_capabilities();
  return "";
}

int confine_child(int socket, Limits const& limits, std::size_t baseline_bytes) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  accept_signals();
  int const own = keep_only(socket);
  bool const is_confined =
      own >= 0 && set_limits(limits, baseline_bytes) && install_system_call_filter();
  return is_confined ? own : -1;
}

}  // namespace sallyport::js::sandbox
