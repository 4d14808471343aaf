// SECURITY: what a child gives up before it reads the first byte of a script. The engine is large
// and old enough that a script may take the process over; this is what holds it then.
#pragma once

#include "src/js/sandbox/limits.hpp"

#include <string>

namespace sallyport::js::sandbox {

// Of the program, once, at its start: an environment of its own, no privileges, no core dumps,
// no way to gain anything by starting a program.
void give_up_privileges() noexcept;

// Moves the process into namespaces of its own, as far as the machine allows: no network, no
// processes but its own children. Returns what it got, e.g. "user, net, pid", for the log. The
// calling process waits for the one that goes on, and ends as it does.
std::string enter_namespaces();

// Of a child. `baseline_bytes` is what the warm process has in memory already. Keeps `socket` alone
// of all descriptors, under the number that it returns; -1: something could not be given up.
int confine_child(int socket, Limits const& limits, std::size_t baseline_bytes) noexcept;

}  // namespace sallyport::js::sandbox
