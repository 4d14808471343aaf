#include "src/js/sandbox/cpu_time.hpp"

#include "src/js/sandbox/last_words.hpp"

#include <v8.h>

#include <csignal>
#include <ctime>
#include <sys/time.h>

namespace sallyport::js::sandbox {
namespace {

// How long the engine may take to stop: of its own time, and on the clock.
constexpr suseconds_t kGraceMicroseconds = 200'000;
constexpr time_t kGraceSeconds = 2;

v8::Isolate* stopped_isolate = nullptr;
std::sig_atomic_t volatile is_cpu_used_up = 0;

void set_timer(__itimer_which which, itimerval const& timer) noexcept {
  ::setitimer(which, &timer, nullptr);
}

void on_clock_timer(int /*signal*/) {
  end_out_of_time();
}

void on_cpu_timer(int /*signal*/) {
  if (is_cpu_used_up != 0) end_out_of_time();
  is_cpu_used_up = 1;
  // V8 takes a lock to be stopped, and this may have interrupted whoever holds it (Atomics.notify
  // does, for moments). It then waits here for ever, and uses no more CPU time.
  set_timer(ITIMER_REAL, {.it_interval = {}, .it_value = {.tv_sec = kGraceSeconds, .tv_usec = 0}});
  stopped_isolate->TerminateExecution();
}

void handle(int signal, void (*handler)(int)) noexcept {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

std::uint64_t cpu_time_us() noexcept {
  timespec now{};
  // Of the only thread. The clock of the process moves by ticks of milliseconds while a timer runs.
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

void handle_cpu_timer(v8::Isolate* isolate) noexcept {
  stopped_isolate = isolate;
  handle(SIGPROF, on_cpu_timer);
  handle(SIGALRM, on_clock_timer);
}

CpuTimer::CpuTimer(std::uint32_t milliseconds) noexcept : started_{cpu_time_us()} {
  is_cpu_used_up = 0;
  if (milliseconds == 0) return;
  set_timer(ITIMER_PROF,
            {.it_interval = {.tv_sec = 0, .tv_usec = kGraceMicroseconds},
             .it_value = {.tv_sec = milliseconds / 1000,
                          .tv_usec = static_cast<suseconds_t>(milliseconds % 1000) * 1000}});
}

void CpuTimer::stop() noexcept {
  set_timer(ITIMER_PROF, {});
  if (is_cpu_used_up != 0) set_timer(ITIMER_REAL, {});
}

bool CpuTimer::is_used_up() const noexcept {
  return is_cpu_used_up != 0;
}

}  // namespace sallyport::js::sandbox
