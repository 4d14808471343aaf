#include "src/js/sandbox/cpu_time.hpp"

#include "src/js/sandbox/last_words.hpp"

#include <v8.h>

#include <csignal>
#include <ctime>
#include <sys/time.h>

namespace sallyport::js::sandbox {
namespace {

// How long the engine may take to stop.
constexpr suseconds_t kGraceMicroseconds = 200'000;

v8::Isolate* stopped_isolate = nullptr;
std::sig_atomic_t volatile is_cpu_used_up = 0;

void on_cpu_timer(int /*signal*/) {
  if (is_cpu_used_up != 0) end_out_of_time();
  is_cpu_used_up = 1;
  stopped_isolate->TerminateExecution();  // made to be called from anywhere
}

void set_timer(itimerval const& timer) noexcept {
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace

std::uint64_t cpu_time_us() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

void handle_cpu_timer(v8::Isolate* isolate) noexcept {
  stopped_isolate = isolate;
  struct sigaction action{};
  action.sa_handler = on_cpu_timer;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGPROF, &action, nullptr);
}

CpuTimer::CpuTimer(std::uint32_t milliseconds) noexcept : started_{cpu_time_us()} {
  is_cpu_used_up = 0;
  if (milliseconds == 0) return;
  set_timer({.it_interval = {.tv_sec = 0, .tv_usec = kGraceMicroseconds},
             .it_value = {.tv_sec = milliseconds / 1000,
                          .tv_usec = static_cast<suseconds_t>(milliseconds % 1000) * 1000}});
}

void CpuTimer::stop() noexcept {
  set_timer({});
}

bool CpuTimer::is_used_up() const noexcept {
  return is_cpu_used_up != 0;
}

}  // namespace sallyport::js::sandbox
