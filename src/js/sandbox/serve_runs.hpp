#pragma once

#include "src/js/sandbox/engine.hpp"

namespace sallyport::js::sandbox {

// Runs that nobody asked for: what is compiled and loaded at first use is then there, also what a
// child could not load any more.
void warm_up(Engine& engine);

// One more in a child that has nothing to do yet: the memory that a run writes to is then its own.
void touch_memory(Engine& engine);

// The life of a child, which is confined already.
[[noreturn]] void serve_runs(Engine& engine, int socket, Limits const& limits);

}  // namespace sallyport::js::sandbox
