// Work without the network: what runs here cannot open a socket, nor can the programs it starts.
//
// Inside content. A filter of system calls (seccomp) and not a network namespace: it needs no
// privilege, and is there where namespaces are forbidden to ordinary users.
#pragma once

#include <functional>

namespace sallyport::content {

// Runs `work` in a thread of its own and waits for it; the filter goes with the thread. `work` gets
// whether the filter is in force, and must not throw. Where the kernel has no such filter, that is
// logged as a warning once, and `work` runs without.
void without_network(std::function<void(bool filtered)> const& work);

}  // namespace sallyport::content
