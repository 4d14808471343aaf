// The parts of the program put together: loops, server core, transport, network, signals.
//
// `sallyport serve` and `sallyport stdio` are this with the settings of the user and the tools of
// the product; the servers in tests/servers are this with tools of their own.
#pragma once

#include "src/config/settings.hpp"
#include "src/mcp/registry.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace sallyport::app {

class ServiceCore;

// What is offered, given what its tools are made of: the road on which they reach the network, and
// what runs scripts. The core outlives it; it has no server yet.
using MakeRegistry = std::function<Result<std::shared_ptr<mcp::Registry const>>(ServiceCore& core)>;

// Serves until SIGTERM or SIGINT, then lets calls in flight finish (a second signal ends at once).
// `on_listening` is told the port. Returns the exit code: 0, or 2 when it could not start.
int run_http_service(config::Settings const& settings, MakeRegistry const& make_registry,
                     std::function<void(std::uint16_t port)> on_listening);

// Serves standard input and output until the input ends or a signal comes.
int run_stdio_service(config::Settings const& settings, MakeRegistry const& make_registry);

}  // namespace sallyport::app
