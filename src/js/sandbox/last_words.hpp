// Ends a run that has used up its memory, or its time and does not stop: tells the gateway why, and
// ends the process. There is one run at a time, so this is about the process as a whole; V8's
// handlers and signal handlers have nothing else to hold on to.
//
// The frames are written when a run begins. When they are needed memory may be used up, or a signal
// handler runs: nothing may be allocated.
#pragma once

#include "src/js/sandbox/limits.hpp"
#include "src/js/sandbox/run_socket.hpp"

#include <string>

namespace sallyport::js::sandbox {

inline constexpr char const* kOutOfMemory = "memory";
inline constexpr char const* kOutOfTime = "cpu";

std::string out_of_memory_message(Limits const& limits);
std::string out_of_time_message(Limits const& limits);

// `socket` must outlive the run.
void prepare_last_words(RunSocket& socket, Limits const& limits);
// The run has been answered: nothing is left to say.
void forget_last_words() noexcept;

[[noreturn]] void end_out_of_memory() noexcept;
[[noreturn]] void end_out_of_time() noexcept;

}  // namespace sallyport::js::sandbox
